import { allFinite, mean } from './summary.ts';

/** Quantile of ascending values by linear interpolation (Hyndman & Fan type 7); NaN when empty. */
export function quantileSorted(sorted: ArrayLike<number>, p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`a quantile level must be 0 to 1, got ${p}`);
  const at = (sorted.length - 1) * p;
  const below = Math.floor(at);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[below + 1] ?? low;
  return low + (at - below) * (high - low);
}

/** Quantile of values in any order (type 7); null when empty or not finite. Throws RangeError on a bad level. */
export function quantile(values: ArrayLike<number>, p: number): number | null {
  return quantiles(values, [p])?.[0] ?? null;
}

/** Several quantiles from one sort; null when empty or not finite. */
export function quantiles(values: ArrayLike<number>, levels: readonly number[]): number[] | null {
  if (!allFinite(values)) return null;
  const sorted = Float64Array.from(values).sort();
  return levels.map((p) => quantileSorted(sorted, p));
}

export interface BoxSummary {
  whiskerLow: number;
  q1: number;
  median: number;
  q3: number;
  whiskerHigh: number;
  mean: number;
  iqr: number;
  outliersBelowP5: number;
  outliersAboveP95: number;
  tukeyLowFence: number;
  tukeyHighFence: number;
  tukeyOutliers: number;
  /** The values outside the Tukey fences, ascending. */
  outliers: number[];
}

/** Box plot: whiskers at P5 and P95, Tukey fences 1.5 IQR beyond the quartiles; null when empty or not finite. */
export function summariseBox(values: ArrayLike<number>): BoxSummary | null {
  const centre = mean(values);
  if (centre === null) return null;
  const sorted = Float64Array.from(values).sort();
  const [whiskerLow, q1, median, q3, whiskerHigh] = [0.05, 0.25, 0.5, 0.75, 0.95].map((p) =>
    quantileSorted(sorted, p),
  ) as [number, number, number, number, number];
  const iqr = q3 - q1;
  const tukeyLowFence = q1 - 1.5 * iqr;
  const tukeyHighFence = q3 + 1.5 * iqr;
  const outliers = Array.from(sorted.filter((value) => value < tukeyLowFence || value > tukeyHighFence));
  return {
    whiskerLow,
    q1,
    median,
    q3,
    whiskerHigh,
    mean: centre,
    iqr,
    outliersBelowP5: sorted.filter((value) => value < whiskerLow).length,
    outliersAboveP95: sorted.filter((value) => value > whiskerHigh).length,
    tukeyLowFence,
    tukeyHighFence,
    tukeyOutliers: outliers.length,
    outliers,
  };
}
