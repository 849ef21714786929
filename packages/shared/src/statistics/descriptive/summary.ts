/** True if there is at least one value and all values are finite. */
export function allFinite(values: ArrayLike<number>): boolean {
  for (let i = 0; i < values.length; i += 1) if (!Number.isFinite(values[i])) return false;
  return values.length > 0;
}

/** Returns the sum with Neumaier's compensation, so that long series lose no digits. */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return total + lost;
}

/** Like `mean`, for values added one by one. */
export class RunningMean {
  #count = 0;
  #total = 0;
  #lost = 0;

  add(value: number): void {
    const next = this.#total + value;
    const isTotalLarger = Math.abs(this.#total) >= Math.abs(value);
    this.#lost += isTotalLarger ? this.#total - next + value : value - next + this.#total;
    this.#total = next;
    this.#count += 1;
  }

  /** null if empty or not finite. */
  get value(): number | null {
    const total = this.#total + this.#lost;
    return this.#count > 0 && Number.isFinite(total) ? total / this.#count : null;
  }
}

/** Returns the arithmetic mean; null if empty or not finite. */
export function mean(values: ArrayLike<number>): number | null {
  return allFinite(values) ? sum(values) / values.length : null;
}

/**
 * Returns the sample variance (n - 1), computed in two passes; exactly 0 for equal values, null for fewer
 * than two values or if not finite.
 */
export function variance(values: ArrayLike<number>): number | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  if (centre === null) return null;
  if (isConstant(values)) return 0;
  let squares = 0;
  for (let i = 0; i < values.length; i += 1) squares += (values[i]! - centre) ** 2;
  return squares / (values.length - 1);
}

/** True if all values are equal; otherwise rounding of the mean would appear as spread. */
export function isConstant(values: ArrayLike<number>): boolean {
  for (let i = 1; i < values.length; i += 1) if (values[i] !== values[0]) return false;
  return true;
}

/** Returns the sample standard deviation (n - 1); null if the variance is null. */
export function standardDeviation(values: ArrayLike<number>): number | null {
  const square = variance(values);
  return square === null ? null : Math.sqrt(square);
}

/** Returns the coefficient of variation sd / |mean|; null for fewer than two values or if the mean is 0. */
export function coefficientOfVariation(values: ArrayLike<number>): number | null {
  const sd = standardDeviation(values);
  const centre = mean(values);
  return sd === null || centre === null || centre === 0 ? null : sd / Math.abs(centre);
}

export interface Summary {
  n: number;
  mean: number;
  sd: number | null;
  variance: number | null;
  cv: number | null;
  min: number;
  max: number;
  sum: number;
}

/** Computes moments and extremes of a sample; null if empty or not finite. */
export function summariseValues(values: ArrayLike<number>): Summary | null {
  const centre = mean(values);
  if (centre === null) return null;
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i += 1) {
    min = Math.min(min, values[i]!);
    max = Math.max(max, values[i]!);
  }
  const square = variance(values);
  return {
    n: values.length,
    mean: centre,
    sd: square === null ? null : Math.sqrt(square),
    variance: square,
    cv: coefficientOfVariation(values),
    min,
    max,
    sum: sum(values),
  };
}

/**
 * Returns the half-sample mode (Bickel and Frühwirth 2006) by repeatedly selecting the densest half. NaN
 * without values.
 */
export function halfSampleMode(values: ArrayLike<number>): number {
  let sorted = Float64Array.from(values).sort();
  while (sorted.length > 3) {
    const half = Math.ceil(sorted.length / 2);
    let start = 0;
    let narrowest = Number.POSITIVE_INFINITY;
    for (let from = 0; from + half <= sorted.length; from += 1) {
      const width = sorted[from + half - 1]! - sorted[from]!;
      if (width < narrowest) [narrowest, start] = [width, from];
    }
    if (narrowest === 0) return sorted[start]!;
    sorted = sorted.slice(start, start + half);
  }
  const [a, b, c] = sorted;
  if (a === undefined) return Number.NaN;
  if (b === undefined) return a;
  if (c === undefined) return (a + b) / 2;
  if (b - a === c - b) return b;
  return b - a < c - b ? (a + b) / 2 : (b + c) / 2;
}

export interface Aggregated {
  /** Means of the full bins. */
  bins: number[];
  /** Samples after the last full bin, and their mean. */
  droppedTail: number;
  tailMean: number | null;
}

/** Averages each `factor` samples into one, for example 10 Hz to 1 Hz; null if empty or not finite. */
export function aggregateSamples(values: ArrayLike<number>, factor: number): Aggregated | null {
  if (!Number.isInteger(factor) || factor < 1) throw new RangeError(`bad factor: ${factor}`);
  if (!allFinite(values)) return null;
  const all = Array.from(values);
  const full = Math.floor(all.length / factor);
  const bins = Array.from({ length: full }, (_, i) => mean(all.slice(i * factor, (i + 1) * factor))!);
  const tail = all.slice(full * factor);
  return { bins, droppedTail: tail.length, tailMean: mean(tail) };
}

export interface Ranks {
  /** Ranks from 1 in input order; ties share their average. */
  ranks: Float64Array;
  /** Sum of t^3 - t over groups of t equal values; 0 without ties. */
  tieTerm: number;
}

/** Returns mid-ranks of finite values. */
export function rankValues(values: ArrayLike<number>): Ranks {
  const order = Uint32Array.from({ length: values.length }, (_, i) => i);
  order.sort((i, j) => values[i]! - values[j]!);
  const ranks = new Float64Array(values.length);
  let tieTerm = 0;
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end]!] === values[order[start]!]) end += 1;
    for (let i = start; i < end; i += 1) ranks[order[i]!] = (start + end + 1) / 2;
    tieTerm += (end - start) ** 3 - (end - start);
    start = end;
  }
  return { ranks, tieTerm };
}

/** Returns a quantile of ascending values by linear interpolation (Hyndman & Fan type 7); NaN if empty. */
export function quantileSorted(sorted: ArrayLike<number>, p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`a quantile level must be 0 to 1, got ${p}`);
  const at = (sorted.length - 1) * p;
  const below = Math.floor(at);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[below + 1] ?? low;
  return low + (at - below) * (high - low);
}

/**
 * Returns a quantile of values in any order (type 7); null if empty or not finite. Throws RangeError on an
 * invalid level.
 */
export function quantile(values: ArrayLike<number>, p: number): number | null {
  return quantiles(values, [p])?.[0] ?? null;
}

/** Returns several quantiles with a single sort; null if empty or not finite. */
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

/**
 * Computes a box plot: whiskers at P5 and P95, Tukey fences 1.5 IQR beyond the quartiles; null if empty or
 * not finite.
 */
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
