import { allFinite, mean } from './summary.ts';

export interface Aggregated {
  /** Means of the full bins. */
  bins: number[];
  /** Samples after the last full bin, and their mean. */
  droppedTail: number;
  tailMean: number | null;
}

/** Averages `factor` samples into one, 10 Hz to 1 Hz for example; null when empty or not finite. */
export function aggregateSamples(values: ArrayLike<number>, factor: number): Aggregated | null {
  if (!Number.isInteger(factor) || factor < 1) throw new RangeError(`bad factor: ${factor}`);
  if (!allFinite(values)) return null;
  const all = Array.from(values);
  const full = Math.floor(all.length / factor);
  const bins = Array.from({ length: full }, (_, i) => mean(all.slice(i * factor, (i + 1) * factor))!);
  const tail = all.slice(full * factor);
  return { bins, droppedTail: tail.length, tailMean: mean(tail) };
}
