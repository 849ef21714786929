import { checkLevel, meanInterval } from './interval.ts';
import { tTwoSidedQuantile } from './student-t.ts';
import { meanAndSquaredError, pairDifferences } from './t-test.ts';

export interface RatioInterval {
  /** Mean of a over mean of b. */
  ratio: number;
  lo: number;
  hi: number;
  df: number;
}

/**
 * Confidence interval of mean(a) / mean(b) for independent groups of run values.
 * Log-ratio delta method: t interval on ln(ratio) with variance va/(na ma^2) + vb/(nb mb^2) and
 * Satterthwaite's df. Chosen over Fieller because it is always bounded and positive, and swapping a and b
 * inverts it exactly; the two agree while se/mean is below about 10 %.
 * Null unless both means are positive, each group has two values, and there is some variance.
 */
export function ratioInterval(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  level = 0.95,
): RatioInterval | null {
  checkLevel(level);
  const top = meanAndSquaredError(a);
  const bottom = meanAndSquaredError(b);
  if (top === null || bottom === null || !(top.m > 0 && bottom.m > 0)) return null;
  const topShare = top.v / top.m ** 2;
  const bottomShare = bottom.v / bottom.m ** 2;
  const squaredError = topShare + bottomShare;
  if (!(squaredError > 0)) return null;
  const df = squaredError ** 2 / (topShare ** 2 / (top.n - 1) + bottomShare ** 2 / (bottom.n - 1));
  const factor = Math.exp(tTwoSidedQuantile(1 - level, df) * Math.sqrt(squaredError));
  const ratio = top.m / bottom.m;
  return { ratio, lo: ratio / factor, hi: ratio * factor, df };
}

/**
 * As ratioInterval for paired values (the i-th of `a` with the i-th of `b`): t interval on the mean of ln(a/b), so
 * the ratio is that of geometric means. Null unless all values are positive, there are two pairs and some variance.
 * Throws RangeError on unequal lengths.
 */
export function pairedRatioInterval(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  level = 0.95,
): RatioInterval | null {
  const logs = pairDifferences(
    Array.from(a, (value) => Math.log(value)),
    Array.from(b, (value) => Math.log(value)),
  );
  const { mean, lo, hi, df, sd } = meanInterval(logs, level);
  if (mean === null || lo === null || hi === null || df === null || !(sd !== null && sd > 0)) return null;
  return { ratio: Math.exp(mean), lo: Math.exp(lo), hi: Math.exp(hi), df };
}
