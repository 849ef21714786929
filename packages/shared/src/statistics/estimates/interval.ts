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
  /** Half width over |mean|. */
  relHalfWidth: number | null;
}

/** Rejects a confidence level outside (0, 1) with a RangeError. */
export function checkLevel(level: number): void {
  if (!(level > 0 && level < 1)) throw new RangeError(`a confidence level must be in (0, 1), got ${level}`);
}

/**
 * Mean with Student's t interval. Give one value per run: samples within a run depend on each other.
 * Parts are null where undefined (below two values, mean 0, not finite).
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

export interface StopRule {
  /** Wanted half width of the interval over |mean|. */
  target: number;
  /** No stop before; 5 or more keeps the coverage near its level. */
  rMin: number;
  rMax: number;
  level?: number;
}

export interface StopDecision {
  steps: { r: number; relHalfWidth: number | null }[];
  /** Number of runs at which to stop; null when neither target nor cap was reached yet. */
  stopAt: number | null;
  reason: 'target' | 'cap' | 'exhausted';
}

/** Replays the stop rule over run means in the order of the runs. Throws RangeError on a bad rule. */
export function decideStop(runMeans: readonly number[], rule: StopRule): StopDecision {
  const { target, rMin, rMax, level = 0.95 } = rule;
  if (!(target > 0) || !(rMin >= 2) || !(rMax >= rMin))
    throw new RangeError('need target > 0, 2 <= rMin <= rMax');
  const steps: StopDecision['steps'] = [];
  for (let r = 2; r <= runMeans.length; r += 1) {
    steps.push({ r, relHalfWidth: meanInterval(runMeans.slice(0, r), level).relHalfWidth });
  }
  const enough = (step: (typeof steps)[number]) =>
    step.r >= rMin && step.relHalfWidth !== null && step.relHalfWidth <= target;
  const stop = steps.find((step) => enough(step) || step.r >= rMax);
  if (stop === undefined) return { steps, stopAt: null, reason: 'exhausted' };
  return { steps, stopAt: stop.r, reason: enough(stop) ? 'target' : 'cap' };
}
