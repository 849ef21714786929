import { mean, variance } from '../descriptive/summary.ts';
import { tTwoSidedQuantile } from '../distributions/normal.ts';

export interface MeanInterval {
  n: number;
  mean: number | null;
  sd: number | null;
  se: number | null;
  df: number | null;
  tCrit: number | null;
  lo: number | null;
  hi: number | null;
  /** Half-width divided by |mean|. */
  relHalfWidth: number | null;
}

/** Rejects a confidence level outside (0, 1) with a RangeError. */
export function checkLevel(level: number): void {
  if (!(level > 0 && level < 1)) throw new RangeError(`a confidence level must be in (0, 1), got ${level}`);
}

/**
 * Computes the mean with Student's t interval. Pass one value per run, because samples within a run depend on
 * each other. Parts of the result are null if undefined (fewer than two values, mean 0, not finite).
 */
export function meanInterval(values: ArrayLike<number>, level = 0.95): MeanInterval {
  checkLevel(level);
  const n = values.length;
  const centre = mean(values);
  const square = variance(values);
  if (centre === null || square === null) {
    return {
      n,
      mean: centre,
      sd: null,
      se: null,
      df: null,
      tCrit: null,
      lo: null,
      hi: null,
      relHalfWidth: null,
    };
  }
  const sd = Math.sqrt(square);
  const se = sd / Math.sqrt(n);
  const tCrit = tTwoSidedQuantile(1 - level, n - 1);
  const half = tCrit * se;
  return {
    n,
    mean: centre,
    sd,
    se,
    df: n - 1,
    tCrit,
    lo: centre - half,
    hi: centre + half,
    relHalfWidth: centre === 0 ? null : half / Math.abs(centre),
  };
}

/**
 * Returns why to stop measuring: `target` if every interval is narrow enough and there are enough runs, `cap`
 * at the maximum number of runs; null to continue. `relHalfWidths` are relative to |mean|; null if there is
 * no interval yet. With `minRuns` of 5 or more, coverage stays close to its level.
 */
export function stopReason(
  { relHalfWidths, runs }: { relHalfWidths: readonly (number | null)[]; runs: number },
  { target, minRuns, maxRuns }: { target: number; minRuns: number; maxRuns: number },
): 'target' | 'cap' | null {
  const isNarrow = relHalfWidths.every((width) => width !== null && width <= target);
  if (isNarrow && runs >= minRuns) return 'target';
  return runs >= maxRuns ? 'cap' : null;
}
