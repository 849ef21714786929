import { allFinite, mean } from '../descriptive/summary.ts';

export interface BatteryQuestion {
  capacityMAh: number;
  /** Share of the capacity that can be drawn, 0 to 1. */
  usableFraction: number;
  activeMA: number;
  sleepMA: number;
  /** Share of the time spent active, 0 to 1. */
  duty: number;
}

export interface BatteryLife {
  avgMA: number;
  /** Null if no charge is drawn. */
  hours: number | null;
  days: number | null;
}

/**
 * Estimates the battery life of a duty-cycled device. Throws RangeError if an input is negative or not
 * finite.
 */
export function estimateBatteryLife(question: BatteryQuestion): BatteryLife {
  const { capacityMAh, usableFraction, activeMA, sleepMA, duty } = question;
  const sane = Object.values(question).every((value) => value >= 0 && value < Infinity);
  if (!sane || duty > 1 || usableFraction > 1) throw new RangeError('battery figures out of range');
  const avgMA = duty * activeMA + (1 - duty) * sleepMA;
  const hours = avgMA > 0 ? (capacityMAh * usableFraction) / avgMA : null;
  return { avgMA, hours, days: hours === null ? null : hours / 24 };
}

export interface Charge {
  /** Charge after each sample; each sample counts for one full interval. */
  cumulativeMAh: number[];
  totalMAh: number;
  /** Trapezoidal rule over the same samples, for comparison. */
  trapezoidMAh: number;
}

/**
 * Returns the charge in mAh from current samples in mA every `intervalS` seconds; null if empty or not
 * finite.
 */
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

export interface SensitivityQuestion {
  /** Current in mA, one sample per second, starting with the handshake. */
  currentMA: ArrayLike<number>;
  handshakeS: number;
  handshakeFactors: readonly number[];
  loadFactors: readonly number[];
}

export interface SensitivityCell {
  handshakeFactor: number;
  loadFactor: number;
  mAh: number;
  /** Ratio to the result with both factors at 1. */
  relChange: number | null;
}

export interface Sensitivity {
  iHandshakeMA: number;
  iSteadyMA: number;
  baseMAh: number;
  grid: SensitivityCell[];
}

/**
 * Returns the charge over the same total time if the handshake lasted `f` times as long and the steady load
 * were `l` times as large: (I_hs h f + l I_ss (T - h f)) / 3600. Null unless the series is finite and longer
 * than the handshake. Throws RangeError unless the handshake is a whole number of seconds >= 1.
 */
export function energySensitivity(question: SensitivityQuestion): Sensitivity | null {
  const { currentMA, handshakeS } = question;
  if (!Number.isInteger(handshakeS) || handshakeS < 1) throw new RangeError(`bad handshake: ${handshakeS} s`);
  const values = Array.from(currentMA);
  const iHandshakeMA = mean(values.slice(0, handshakeS));
  const iSteadyMA = mean(values.slice(handshakeS));
  if (iHandshakeMA === null || iSteadyMA === null) return null;
  const parts = { handshake: iHandshakeMA, steady: iSteadyMA, handshakeS, totalS: values.length };
  return {
    iHandshakeMA,
    iSteadyMA,
    baseMAh: consumed(parts, 1, 1) / 3600,
    grid: sensitivityGrid(parts, question).map(({ consumed: all, ...cell }) => ({
      ...cell,
      mAh: all / 3600,
    })),
  };
}

/** Draw (mA or W) during the handshake and after it. */
export interface TwoParts {
  handshake: number;
  steady: number;
  handshakeS: number;
  totalS: number;
}

/**
 * Like `energySensitivity`, but from the means of the two parts; the unit is the unit of the draw times
 * seconds.
 */
export function sensitivityGrid(
  parts: TwoParts,
  { handshakeFactors, loadFactors }: Pick<SensitivityQuestion, 'handshakeFactors' | 'loadFactors'>,
): (Omit<SensitivityCell, 'mAh'> & { consumed: number })[] {
  const base = consumed(parts, 1, 1);
  return handshakeFactors.flatMap((handshakeFactor) =>
    loadFactors.map((loadFactor) => {
      const all = consumed(parts, handshakeFactor, loadFactor);
      const relChange = base === 0 ? null : all / base - 1;
      return { handshakeFactor, loadFactor, consumed: all, relChange };
    }),
  );
}

function consumed({ handshake, steady, handshakeS, totalS }: TwoParts, f: number, l: number): number {
  return handshake * handshakeS * f + l * steady * (totalS - handshakeS * f);
}
