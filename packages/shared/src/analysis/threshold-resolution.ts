import { findMetric } from '../catalogue/metrics.ts';
import type { Issue } from '../domain/issue.ts';
import type { Threshold } from '../domain/plans/experiment-draft.ts';
import type { Plan } from '../domain/plans/plan.ts';
import type { MetricDefinition } from '../domain/runs/verdict.ts';
import { plural } from '../format/number.ts';
import { formatQuantity } from '../format/quantity.ts';
import type { Resolution } from '../messages/http.ts';
import { standardDeviation } from '../statistics/descriptive/summary.ts';
import { levelOf } from './counting-runs.ts';
import { estimateValues, isOnLogScale, minRuns } from './estimate.ts';
import { appliesTo, describeThreshold } from './judge-thresholds.ts';
import { type DetectableInput, detectableDifference, detectableUnit } from './resolution.ts';

/** Maximum recommended number of repetitions. */
const mostRecommended = 1000;

/** Data from earlier runs on the testbed. */
export interface EarlierRuns {
  /** The spread of the differences; null if it is unknown. */
  resolutionOf(metric: string): Resolution | null;
  /** Values of individual runs, by treatment. */
  valuesOf(metric: string): readonly { treatmentKey: string; value: number }[];
}

type PlannedThresholds = Pick<Plan, 'thresholds' | 'repetitions' | 'treatments' | 'stopping'>;

/**
 * Returns a warning for each threshold that a plan's repetitions will probably leave "not resolved":
 * - every threshold, with fewer than three repetitions (two if the metric is the same in every run);
 * - a percentage limit that is closer to the baseline than the smallest detectable difference;
 * - an absolute limit that is closer than this difference to the mean of a treatment's earlier runs.
 */
export function findUnresolvableThresholds(plan: PlannedThresholds, earlier: EarlierRuns): Issue[] {
  const { repetitions } = plan;
  return plan.thresholds.flatMap((threshold, index) => {
    const metric = findMetric(threshold.metric);
    if (!metric) return [];
    const rule = `“${describeThreshold(threshold)}”`;
    const field = `thresholds[${index}]`;
    // Two runs with the same value need no interval.
    const fewest = metric.resolution === 'exact' ? 2 : minRuns;
    if (repetitions < fewest) {
      const reason = `${rule} cannot be resolved: there is no interval with fewer than ${minRuns} repetitions`;
      return [{ field, reason, remedy: `Use at least ${minRuns} repetitions.` }];
    }
    const close =
      threshold.of === 'value'
        ? closestTreatment(threshold, metric, { plan, values: earlier.valuesOf(metric.id) })
        : closeToBaseline(threshold, earlier.resolutionOf(metric.id), repetitions);
    if (!close) return [];
    const { spread, detectable, where, limit } = close;
    const difference = formatQuantity(detectable, detectableUnit(spread), { significant: 2 });
    const reason = `${rule} will probably not be resolved${where}: ${plural(repetitions, 'repetition')} can only detect differences of ${difference} or more`;
    const enough = fewestRepetitions(spread, close.distance);
    const remedy = enough === null ? `Use ${limit}.` : `Use about ${enough} repetitions, or ${limit}.`;
    return [{ field, reason, remedy }];
  });
}

/** A limit that is closer to a value than the repetitions can detect. */
interface CloseLimit {
  spread: DetectableInput & { unit: string };
  /**
   * Distance from value to limit, and the smallest detectable difference. Both are percentages of the smaller
   * value, or in the metric's unit.
   */
  distance: number;
  detectable: number;
  /** The treatment, in words. */
  where: string;
  /** A limit that the repetitions can resolve, in words. */
  limit: string;
}

function closeToBaseline(
  threshold: Threshold,
  found: Resolution | null,
  repetitions: number,
): CloseLimit | null {
  // Only differences on the ratio scale are percentages of the baseline.
  if (found?.scale !== 'ratio') return null;
  // Each threshold is judged by its own interval, without adjustment for the others.
  const spread = { ...found, contrasts: 1 };
  const detectable = detectableDifference(spread, repetitions) ?? 0;
  const limit = limitOf(threshold);
  const distance = distanceBetween(limit, 100, spread.scale);
  if (!(distance < detectable)) return null;
  const isAbove = limit > 100 || (limit === 100 && threshold.atMost !== undefined);
  const other = isAbove
    ? `a limit of at least ${Math.ceil(100 + detectable)} %`
    : `a limit of at most ${Math.floor(10_000 / (100 + detectable))} %`;
  return { spread, distance, detectable, where: '', limit: other };
}

/** Returns the limited treatment whose earlier mean is closest to the limit. */
function closestTreatment(
  threshold: Threshold,
  metric: MetricDefinition,
  { plan, values }: { plan: PlannedThresholds; values: readonly { treatmentKey: string; value: number }[] },
): CloseLimit | null {
  const limit = limitOf(threshold);
  const close = plan.treatments.flatMap((treatment): CloseLimit[] => {
    if (!appliesTo(threshold, treatment)) return [];
    const own = values.flatMap(({ treatmentKey, value }) => (treatmentKey === treatment.key ? [value] : []));
    if (own.length < minRuns) return [];
    const isLog = limit > 0 && isOnLogScale(metric, own);
    const onScale = isLog ? own.map(Math.log) : own;
    const mean = estimateValues(own, metric).value ?? Number.NaN;
    const scale = isLog ? 'ratio' : 'difference';
    const sd = standardDeviation(onScale) ?? Number.NaN;
    const spread = {
      scale,
      sdOfDifferences: sd,
      contrasts: 1,
      level: levelOf(plan),
      unit: metric.unit,
    } as const;
    const detectable = detectableDifference(spread, plan.repetitions) ?? 0;
    const distance = distanceBetween(limit, mean, scale);
    if (!(distance < detectable)) return [];
    const [low, high] = isLog
      ? [mean / (1 + detectable / 100), mean * (1 + detectable / 100)]
      : [mean - detectable, mean + detectable];
    const [words, bound] = threshold.atMost === undefined ? ['at most', low] : ['at least', high];
    const earlier = formatQuantity(mean, metric.unit);
    return [
      {
        spread,
        distance,
        detectable,
        where: ` for ${treatment.shortLabel}, which had ${earlier} in ${plural(own.length, 'earlier run')}`,
        limit: `a limit of ${words} ${formatQuantity(bound, metric.unit)}`,
      },
    ];
  });
  return close.sort((a, b) => a.distance / a.detectable - b.distance / b.detectable)[0] ?? null;
}

function limitOf({ atMost, atLeast }: Threshold): number {
  return atMost ?? atLeast ?? Number.NaN;
}

/** Returns a distance; on the ratio scale, as a percentage of the smaller value. */
function distanceBetween(limit: number, value: number, scale: Resolution['scale']): number {
  return scale === 'ratio' ? 100 * Math.expm1(Math.abs(Math.log(limit / value))) : Math.abs(limit - value);
}

/** Returns the fewest repetitions that detect a difference; null above `mostRecommended`. */
function fewestRepetitions(spread: DetectableInput, difference: number): number | null {
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
