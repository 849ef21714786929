import { meanInterval } from '../estimates/interval.ts';
import { pairDifferences, pairedTest, type TTest, welchTest } from './t-test.ts';

/** Geometric mean of positive values with the t interval of their logarithms, transformed back. */
export interface GeometricInterval {
  n: number;
  mean: number;
  /** Standard deviation of the logarithms: 0.1 is a spread of about 10 %. null for fewer than two values. */
  sdLog: number | null;
  lo: number | null;
  hi: number | null;
}

export interface RatioTest {
  /** Geometric mean of a divided by that of b. */
  ratio: number;
  /** null if nothing varies, in which case the ratio is exact. */
  lo: number | null;
  hi: number | null;
  df: number | null;
  /** Two-sided p-value for a ratio of 1. */
  p: number | null;
}

/** Logarithms closer than this are equal, because the difference is double-precision rounding. */
const rounding = 1e-12;

/** Returns null unless there is at least one value and all values are positive and finite. */
export function geometricInterval(values: ArrayLike<number>, level = 0.95): GeometricInterval | null {
  const logs = logsOf(values);
  if (logs === null) return null;
  const { n, mean, sd, lo, hi } = meanInterval(logs, level);
  if (mean === null) return null;
  const first = values[0] ?? Number.NaN;
  if (sd !== null && isEqual(logs)) return { n, mean: first, sdLog: 0, lo: first, hi: first };
  return {
    n,
    mean: n === 1 ? first : expOf(mean),
    sdLog: sd,
    lo: lo === null ? null : expOf(lo),
    hi: hi === null ? null : expOf(hi),
  };
}

/**
 * Computes the ratio of paired positive values (the i-th of `a` with the i-th of `b`) with the t interval on
 * the mean of ln(a/b), transformed back. null unless all values are positive and there are at least two
 * pairs. `step` is the smallest change in the logarithm that the instrument can show (see `welchTest`).
 * Throws RangeError on unequal lengths.
 */
export function pairedRatio(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  level = 0.95,
  step = 0,
): RatioTest | null {
  const [top, bottom] = [logsOf(a), logsOf(b)];
  if (a.length !== b.length) pairDifferences(a, b);
  if (top === null || bottom === null || top.length < 2) return null;
  const logs = pairDifferences(top, bottom);
  return ratioOf(logs, step === 0 && isEqual(logs) ? null : pairedTest(top, bottom, level, step));
}

/**
 * Computes the same for independent groups with Welch's t interval on the logarithms; null if a group has
 * fewer than two values.
 */
export function independentRatio(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  level = 0.95,
  step = 0,
): RatioTest | null {
  const [top, bottom] = [logsOf(a), logsOf(b)];
  if (top === null || bottom === null || top.length < 2 || bottom.length < 2) return null;
  const isExact = step === 0 && isEqual(top) && isEqual(bottom);
  const centre = (meanInterval(top).mean ?? Number.NaN) - (meanInterval(bottom).mean ?? Number.NaN);
  return ratioOf([centre], isExact ? null : welchTest(top, bottom, level, step));
}

function ratioOf(logs: readonly number[], test: TTest | null): RatioTest {
  if (!test) {
    const ratio = expOf(logs.reduce((sum, log) => sum + log, 0) / logs.length);
    return { ratio, lo: null, hi: null, df: null, p: null };
  }
  const { meanDiff, lo, hi, df, p } = test;
  return { ratio: expOf(meanDiff), lo: expOf(lo), hi: expOf(hi), df, p };
}

/** Returns null unless there is at least one value and all values are positive and finite. */
function logsOf(values: ArrayLike<number>): number[] | null {
  const logs = Array.from(values, (value) => (value > 0 ? Math.log(value) : Number.NaN));
  return logs.length > 0 && logs.every(Number.isFinite) ? logs : null;
}

function isEqual(logs: readonly number[]): boolean {
  const [first = 0] = logs;
  return logs.every((log) => Math.abs(log - first) <= rounding);
}

/** Limit above which a ratio in percent would overflow. */
const largest = 1e300;

function expOf(value: number): number {
  return Math.min(largest, Math.exp(value));
}
