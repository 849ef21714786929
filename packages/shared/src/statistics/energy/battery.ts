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
  /** Null when nothing is drawn. */
  hours: number | null;
  days: number | null;
}

/** Battery life of a duty-cycled device. Throws RangeError on negative or not finite input. */
export function estimateBatteryLife(question: BatteryQuestion): BatteryLife {
  const { capacityMAh, usableFraction, activeMA, sleepMA, duty } = question;
  const sane = Object.values(question).every((value) => value >= 0 && value < Infinity);
  if (!sane || duty > 1 || usableFraction > 1) throw new RangeError('battery figures out of range');
  const avgMA = duty * activeMA + (1 - duty) * sleepMA;
  const hours = avgMA > 0 ? (capacityMAh * usableFraction) / avgMA : null;
  return { avgMA, hours, days: hours === null ? null : hours / 24 };
}
