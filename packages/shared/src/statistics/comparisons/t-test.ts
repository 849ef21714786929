import { mean, variance } from '../descriptive/summary.ts';
import { tTwoSidedP, tTwoSidedQuantile } from '../distributions/normal.ts';
import { checkLevel } from '../estimates/interval.ts';

export interface TTest {
  /** Mean of a minus mean of b (paired: mean of the differences). */
  meanDiff: number;
  se: number;
  t: number;
  df: number;
  /** Two-sided. */
  p: number;
  /** Confidence interval of `meanDiff`. */
  lo: number;
  hi: number;
}

/** Mean and the squared standard error of the mean; null below two finite values. */
export function meanAndSquaredError(values: ArrayLike<number>): { m: number; v: number; n: number } | null {
  const m = mean(values);
  const square = variance(values);
  return m === null || square === null ? null : { m, v: square / values.length, n: values.length };
}

/**
 * Welch's t test of two independent groups; null below two values in a group or if both variances and the step are 0.
 * `step` is the smallest difference that the instrument can show: the interval is never narrower than one step on
 * either side, and p follows the same standard error.
 */
export function welchTest(a: ArrayLike<number>, b: ArrayLike<number>, level = 0.95, step = 0): TTest | null {
  const left = meanAndSquaredError(a);
  const right = meanAndSquaredError(b);
  if (left === null || right === null) return null;
  const squaredError = left.v + right.v;
  const spread = squaredError ** 2 / (left.v ** 2 / (left.n - 1) + right.v ** 2 / (right.n - 1));
  const df = squaredError > 0 ? spread : Math.min(left.n, right.n) - 1;
  return makeTTest({ meanDiff: left.m - right.m, se: Math.sqrt(squaredError), df, step }, level);
}

/** Student's t test with pooled variance; null below two values in a group or if both variances are 0. */
export function studentTest(a: ArrayLike<number>, b: ArrayLike<number>, level = 0.95): TTest | null {
  const left = meanAndSquaredError(a);
  const right = meanAndSquaredError(b);
  if (left === null || right === null) return null;
  const df = left.n + right.n - 2;
  const pooled = ((left.n - 1) * left.n * left.v + (right.n - 1) * right.n * right.v) / df;
  const se = Math.sqrt(pooled * (1 / left.n + 1 / right.n));
  return makeTTest({ meanDiff: left.m - right.m, se, df }, level);
}

/**
 * Paired t test, the i-th of `a` with the i-th of `b` (same block of the plan); null below two pairs or if
 * the differences have no variance and the step is 0 (see `welchTest`). Throws RangeError on unequal lengths.
 */
export function pairedTest(a: ArrayLike<number>, b: ArrayLike<number>, level = 0.95, step = 0): TTest | null {
  const differences = pairDifferences(a, b);
  // Equal up to decimal input noise counts as no variance.
  const rounded = differences.map(roundDifference);
  if (step === 0 && rounded.every((value) => value === rounded[0])) return null;
  const stats = meanAndSquaredError(differences);
  if (stats === null) return null;
  return makeTTest({ meanDiff: stats.m, se: Math.sqrt(stats.v), df: stats.n - 1, step }, level);
}

/** a[i] - b[i]. Throws RangeError on unequal lengths. */
export function pairDifferences(a: ArrayLike<number>, b: ArrayLike<number>): number[] {
  if (a.length !== b.length) {
    throw new RangeError(`paired samples must be equally long, got ${a.length} and ${b.length}`);
  }
  return Array.from(a, (value, i) => value - b[i]!);
}

/** Rounds a difference to 9 decimals, below which only the noise of decimal input remains. */
export function roundDifference(value: number): number {
  const rounded = Math.round(value * 1e9) / 1e9;
  return Number.isFinite(rounded) && Math.abs(value) < 9e6 ? rounded : value;
}

function makeTTest(
  parts: { meanDiff: number; se: number; df: number; step?: number },
  level: number,
): TTest | null {
  checkLevel(level);
  const { meanDiff, df, step = 0 } = parts;
  if (!(df > 0)) return null;
  const quantile = tTwoSidedQuantile(1 - level, df);
  const se = Math.max(parts.se, step / quantile);
  if (!(se > 0)) return null;
  const t = meanDiff / se;
  const half = quantile * se;
  return { meanDiff, se, t, df, p: tTwoSidedP(t, df), lo: meanDiff - half, hi: meanDiff + half };
}
