import { findMetric } from '../catalogue/metrics.ts';
import { inWords } from '../catalogue/workloads.ts';
import type { WorkloadKind } from '../domain/plans/trial-spec.ts';
import { plural } from '../format/number.ts';
import { formatQuantity } from '../format/quantity.ts';
import type { Resolution } from '../messages/http.ts';
import { smallestResolvableDifference } from '../statistics/estimates/power.ts';
import { minRuns } from './estimate.ts';

/**
 * Smallest difference of two treatments that so many repetitions tell apart with 80 % power, in the unit of the
 * metric; null below three, from which on there are intervals.
 */
export function resolvableDifference(
  { scale, sd, mean, contrasts }: Pick<Resolution, 'scale' | 'sd' | 'mean' | 'contrasts'>,
  repetitions: number,
): number | null {
  if (repetitions < minRuns) return null;
  const onScale = smallestResolvableDifference({ repetitions, sd, contrasts: Math.max(1, contrasts) });
  if (onScale === null) return null;
  // A ratio, told as the difference that it makes at the usual value.
  return scale === 'ratio' ? mean * Math.expm1(onScale) : onScale;
}

interface Asked {
  /** null where no earlier runs tell a spread. */
  resolution: Resolution | null;
  repetitions: number;
  treatments: number;
  response: string;
  workload: WorkloadKind;
}

/** What the repetitions of a plan can show, in words. */
export function describeResolution({
  resolution,
  repetitions,
  treatments,
  response,
  workload,
}: Asked): string {
  if (treatments < 2) return 'Needs at least two treatments to compare.';
  const label = findMetric(response)?.label ?? response;
  if (resolution === null) {
    return `Not known: this testbed has too few earlier runs of ${inWords(workload)}, so it is not known how much “${label}” differs from run to run. After the first repetitions this can be told; until then 5 is a fair start.`;
  }
  const { unit, contrasts, fromRuns, fromExperiments } = resolution;
  const difference = resolvableDifference(resolution, repetitions);
  const found =
    difference === null
      ? 'So few repetitions show no difference at all: nothing tells it from chance. Take three at least.'
      : `${label}: differences of ${formatQuantity(difference, unit, { significant: 2 })} or more (80 % power, Holm over ${plural(Math.max(1, contrasts), 'contrast')}).`;
  const shown = fromExperiments.slice(0, 3).map((id) => `E-${id}`);
  const more = fromExperiments.length > 3 ? ` and ${fromExperiments.length - 3} more` : '';
  const where = shown.length > 0 ? ` in ${shown.join(', ')}${more}` : '';
  return `${found} The spread is that of ${plural(fromRuns, 'earlier run')}${where}.`;
}
