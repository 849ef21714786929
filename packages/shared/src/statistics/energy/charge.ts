import { allFinite } from '../descriptive/summary.ts';

export interface Charge {
  /** Charge after each sample, every sample counted for one whole interval. */
  cumulativeMAh: number[];
  totalMAh: number;
  /** Trapezoid rule over the same samples, for comparison. */
  trapezoidMAh: number;
}

/** Charge in mAh from current samples in mA every `intervalS` seconds; null when empty or not finite. */
export function accumulateCharge(currentMA: ArrayLike<number>, intervalS: number): Charge | null {
  if (!(intervalS > 0 && intervalS < Infinity)) throw new RangeError(`bad interval: ${intervalS} s`);
  if (!allFinite(currentMA)) return null;
  let total = 0;
  const cumulativeMAh = Array.from(currentMA, (current) => {
    total += current;
    return (total * intervalS) / 3600;
  });
  const ends = (currentMA[0]! + currentMA[currentMA.length - 1]!) / 2;
  return {
    cumulativeMAh,
    totalMAh: (total * intervalS) / 3600,
    trapezoidMAh: ((total - ends) * intervalS) / 3600,
  };
}
