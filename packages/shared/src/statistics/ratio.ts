import { checkLevel } from './interval.ts';
import { tTwoSidedQuantile } from './student-t.ts';
import { meanAndSquaredError } from './t-test.ts';

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
