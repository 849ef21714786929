import { findMetric } from '../catalogue/metrics.ts';
import type { Issue } from '../domain/issue.ts';
import type { Threshold } from '../domain/plans/experiment-draft.ts';
import type { Plan } from '../domain/plans/plan.ts';
import { plural } from '../format/number.ts';
import type { Resolution } from '../messages/http.ts';
import { minRuns } from './estimate.ts';
import { describeThreshold } from './judge-thresholds.ts';
import { detectableDifference } from './resolution.ts';

/** More repetitions than this are not recommended. */
const mostRecommended = 1000;

/**
 * Returns a warning for each threshold that the repetitions of a plan will probably leave "not resolved": any with fewer
 * than three repetitions (two if the metric is the same in every run), and limits in percent of the baseline that are closer to the baseline than the smallest
 * detectable difference. `resolutionOf` returns the spread of earlier runs, or null if it is unknown.
 */
export function findUnresolvableThresholds(
  { thresholds, repetitions }: Pick<Plan, 'thresholds' | 'repetitions'>,
  resolutionOf: (metric: string) => Resolution | null,
): Issue[] {
  return thresholds.flatMap((threshold, index) => {
    const metric = findMetric(threshold.metric);
    if (!metric) return [];
    const found = resolutionOf(threshold.metric);
    const rule = `“${describeThreshold(threshold)}”`;
    const field = `thresholds[${index}]`;
    // Two runs with the same value need no interval.
    const fewest = metric.resolution === 'exact' ? 2 : minRuns;
    if (repetitions < fewest) {
      const reason = `${rule} cannot be resolved: there is no interval below ${minRuns} repetitions`;
      return [{ field, reason, remedy: `Use at least ${minRuns} repetitions.` }];
    }
    // A difference on another scale is not in percent of the baseline.
    if (threshold.of === 'value' || found?.scale !== 'ratio') return [];
    // Each threshold is judged by its own interval, without adjustment for the others.
    const spread = { ...found, contrasts: 1 };
    const detectable = detectableDifference(spread, repetitions) ?? 0;
    const limit = threshold.atMost ?? threshold.atLeast ?? Number.NaN;
    const distance = 100 * Math.expm1(Math.abs(Math.log(limit / 100)));
    if (!(distance < detectable)) return [];
    const reason = `${rule} will probably not be resolved: ${plural(repetitions, 'repetition')} detect differences of ${Math.ceil(detectable)} % or more`;
    return [{ field, reason, remedy: remedyFor(threshold, { limit, distance, detectable, spread }) }];
  });
}

interface Unresolvable {
  limit: number;
  /** From the baseline to the limit, and the smallest detectable difference, in percent of the smaller value. */
  distance: number;
  detectable: number;
  spread: Resolution;
}

function remedyFor({ atMost }: Threshold, { limit, distance, detectable, spread }: Unresolvable): string {
  const isAbove = limit > 100 || (limit === 100 && atMost !== undefined);
  const other = isAbove
    ? `a limit of at least ${Math.ceil(100 + detectable)} %`
    : `a limit of at most ${Math.floor(10_000 / (100 + detectable))} %`;
  const enough = fewestRepetitions(spread, distance);
  return enough === null ? `Use ${other}.` : `Use about ${enough} repetitions, or ${other}.`;
}

/** Returns the fewest repetitions that detect a difference, in percent; null above `mostRecommended`. */
function fewestRepetitions(spread: Resolution, difference: number): number | null {
  const suffices = (count: number) => (detectableDifference(spread, count) ?? Infinity) <= difference;
  if (!suffices(mostRecommended)) return null;
  let [low, high] = [minRuns - 1, mostRecommended];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (suffices(middle)) high = middle;
    else low = middle;
  }
  return high;
}
