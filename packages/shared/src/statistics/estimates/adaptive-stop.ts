import { meanInterval } from './interval.ts';

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
