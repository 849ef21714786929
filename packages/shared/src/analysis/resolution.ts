import { findMetric } from '../catalogue/metrics.ts';
import { inWords } from '../catalogue/workloads.ts';
import type { WorkloadKind } from '../domain/plans/workload.ts';
import type { MetricDefinition } from '../domain/runs/verdict.ts';
import { formatCount, plural } from '../format/number.ts';
import { formatQuantity } from '../format/quantity.ts';
import type { PlanCheck, Resolution } from '../messages/http.ts';
import { sum, variance } from '../statistics/descriptive/summary.ts';
import { smallestDetectableDifference } from '../statistics/estimates/power.ts';
import { alpha } from './contrasts.ts';
import { isOnLogScale, minRuns } from './estimate.ts';

/** Power for the smallest detectable difference. */
const power = 0.8;

/**
 * Returns the smallest difference between a treatment and its baseline that the analysis detects with 80 %
 * power. The test is a t test paired by repetition, Holm-adjusted over all contrasts of the plan. The
 * difference is a percentage of the baseline if the metric is compared as a ratio, otherwise it is in the
 * metric's unit. Returns null for fewer than three repetitions, the minimum for an interval.
 */
export function detectableDifference(
  { scale, sdOfDifferences, contrasts, level }: DetectableInput,
  repetitions: number,
): number | null {
  if (repetitions < minRuns) return null;
  const family = Math.max(1, contrasts);
  const onScale = smallestDetectableDifference({
    repetitions,
    sdOfDifferences,
    // After optional stopping, the interval is wider than with Holm's method alone.
    alpha: Math.min(alpha / family, 1 - level),
    power,
  });
  if (onScale === null) return null;
  return scale === 'ratio' ? 100 * Math.expm1(onScale) : onScale;
}

export type DetectableInput = Pick<Resolution, 'scale' | 'sdOfDifferences' | 'contrasts' | 'level'>;

/** Returns the unit of a detectable difference. */
export function detectableUnit({ scale, unit }: Pick<Resolution, 'scale' | 'unit'>): string {
  return scale === 'ratio' ? '%' : unit;
}

/** Minimum degrees of freedom to estimate a spread. */
const minDegrees = 2;

interface SpreadValue {
  experimentId: number;
  treatmentKey: string;
  block: number;
  value: number;
}

/**
 * Calculates the spread of the differences between two treatments of one experiment within a repetition,
 * pooled over all pairs of treatments. Uses logarithms if the metric is compared as a ratio. Experiments
 * without two treatments in common repetitions contribute their spread between runs, as if repetitions were
 * independent. Returns null if there are too few runs.
 */
export function spreadOfDifferences(
  values: readonly SpreadValue[],
  metric: MetricDefinition,
): Pick<Resolution, 'scale' | 'sdOfDifferences' | 'fromRuns' | 'fromExperiments'> | null {
  const isLog = isOnLogScale(
    metric,
    values.map(({ value }) => value),
  );
  const experiments = [...Map.groupBy(values, ({ experimentId }) => experimentId)].map(([id, all]) => {
    const treatments = [...Map.groupBy(all, ({ treatmentKey }) => treatmentKey).values()].map(
      (runs) => new Map(runs.map(({ block, value }) => [block, isLog ? Math.log(value) : value])),
    );
    return { id, runs: all.length, ...varianceOfDifferences(treatments) };
  });
  const used = experiments.filter(({ degrees }) => degrees > 0);
  const degrees = sum(used.map((one) => one.degrees));
  if (degrees < minDegrees) return null;
  const pooled = sum(used.map((one) => one.variance * one.degrees)) / degrees;
  return {
    scale: isLog ? 'ratio' : 'difference',
    sdOfDifferences: Math.sqrt(pooled),
    fromRuns: sum(used.map(({ runs }) => runs)),
    fromExperiments: used.map(({ id }) => id).sort((a, b) => a - b),
  };
}

/** Returns the variance of the difference between two treatments, from values by repetition. */
function varianceOfDifferences(treatments: readonly ReadonlyMap<number, number>[]) {
  const pairs = treatments.flatMap((one, index) =>
    treatments.slice(index + 1).flatMap((other) => {
      const common = [...one].flatMap(([block, value]) => {
        const against = other.get(block);
        return against === undefined ? [] : [value - against];
      });
      return common.length < 2 ? [] : [{ variance: variance(common) ?? 0, degrees: common.length - 1 }];
    }),
  );
  if (pairs.length > 0) {
    const weights = sum(pairs.map(({ degrees }) => degrees));
    const mean = sum(pairs.map((pair) => pair.variance * pair.degrees)) / weights;
    // Pairs share treatments, so the number of independent pairs is one less than the number of treatments.
    return { variance: mean, degrees: (weights / pairs.length) * (treatments.length - 1) };
  }
  const groups = treatments.filter(({ size }) => size >= 2);
  const degrees = sum(groups.map(({ size }) => size - 1));
  const within = sum(groups.map((group) => (variance([...group.values()]) ?? 0) * (group.size - 1)));
  return { variance: degrees > 0 ? (2 * within) / degrees : 0, degrees };
}

interface Asked {
  /** null if there are too few earlier runs to estimate a spread. */
  resolution: Resolution | null;
  /** Earlier runs of this kind; omitted while unknown. */
  earlier?: PlanCheck['earlier'] | undefined;
  repetitions: number;
  treatments: number;
  response: string;
  workload: WorkloadKind;
}

/** Describes what the repetitions of a plan can detect. */
export function describeResolution({
  resolution,
  earlier = { runs: 0, flagged: 0 },
  repetitions,
  treatments,
  response,
  workload,
}: Asked): string {
  if (treatments < 2) return 'A comparison needs at least two treatments.';
  const label = findMetric(response)?.label ?? response;
  const flagged = `${formatCount(earlier.flagged)} of ${plural(earlier.runs, 'earlier run')} ${earlier.flagged === 1 ? 'is' : 'are'} flagged`;
  if (resolution === null && earlier.flagged > 0) {
    return `Unknown: ${flagged}, and there are too few others to show how much “${label}” varies between runs. Run again on an idle machine, or start with 5 repetitions.`;
  }
  if (resolution === null) {
    return `Unknown: this testbed has too few earlier runs of ${inWords(workload)} to show how much “${label}” varies between runs. Start with 5 repetitions.`;
  }
  const { contrasts, fromRuns, fromExperiments } = resolution;
  const difference = detectableDifference(resolution, repetitions);
  const found =
    difference === null
      ? `At least ${minRuns} repetitions are needed for an interval.`
      : `${label}: smallest detectable difference ${formatQuantity(difference, detectableUnit(resolution), { significant: 2 })}${resolution.scale === 'ratio' ? ' of the baseline' : ''} (${100 * power} % power, paired by repetition, Holm-adjusted for ${plural(Math.max(1, contrasts), 'contrast')}).`;
  const shown = fromExperiments.slice(0, 3).map((id) => `E-${id}`);
  const more = fromExperiments.length > 3 ? ` and ${fromExperiments.length - 3} more` : '';
  const where = shown.length > 0 ? ` in ${shown.join(', ')}${more}` : '';
  const guide = resolution.sameFactors
    ? ''
    : ', which varied other factors, so the difference is only a rough guide';
  const without = earlier.flagged > 0 ? ` ${flagged} and were not used.` : '';
  return `${found} Based on the spread of ${plural(fromRuns, 'earlier run')}${where}${guide}.${without}`;
}
