import { mean, variance } from '../descriptive/summary.ts';
import { chiSquareSf } from '../distributions/normal.ts';
import { checkLevel } from './interval.ts';

export interface SpreadInterval {
  /** Pooled standard deviation within the groups. */
  sd: number;
  df: number;
  lo: number;
  hi: number;
}

/**
 * Returns the pooled standard deviation of groups that may have different means, with its chi-square
 * interval. For logarithms, it is the coefficient of variation as a share. Groups with one value do not
 * count; null without a degree of freedom.
 */
export function pooledSpread(groups: readonly ArrayLike<number>[], level = 0.95): SpreadInterval | null {
  checkLevel(level);
  let [df, squares] = [0, 0];
  for (const group of groups) {
    const own = variance(group);
    if (own === null || mean(group) === null) continue;
    df += group.length - 1;
    squares += own * (group.length - 1);
  }
  if (df === 0) return null;
  const tail = (1 - level) / 2;
  const bound = (upper: number) => Math.sqrt(squares / chiSquareQuantile(upper, df));
  return { sd: Math.sqrt(squares / df), df, lo: bound(tail), hi: bound(1 - tail) };
}

/** Returns the value that a chi-square variable exceeds with probability `upper`, found by bisection. */
export function chiSquareQuantile(upper: number, df: number): number {
  let [low, high] = [0, df + 10];
  while (chiSquareSf(high, df) > upper) high *= 2;
  for (let i = 0; i < 200 && high - low > 1e-13 * high; i += 1) {
    const middle = (low + high) / 2;
    if (chiSquareSf(middle, df) > upper) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
