import type { Contrast } from '@mqttlab/shared/analysis/contrasts';
import { type Estimate, estimateValues } from '@mqttlab/shared/analysis/estimate';
import { runValues } from '@mqttlab/shared/analysis/run-values';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import type { CompareState } from './compare-state.ts';

/** What each treatment is held against; a baseline against itself; none where there is no counterpart. */
export function baselinesOf(contrasts: readonly Contrast[]): Map<string, ComparedTreatment> {
  return new Map([
    ...contrasts.map(({ baseline }) => [baseline.id, baseline] as const),
    ...contrasts.map(({ treatment, baseline }) => [treatment.id, baseline] as const),
  ]);
}

export type ScalingChoice = Pick<CompareState, 'unit' | 'flagged'> & {
  baselines: ReadonlyMap<string, ComparedTreatment>;
};

/** By how much values of this metric are multiplied to be shown; null where they cannot be shown. */
export function factorOf(
  treatment: ComparedTreatment,
  metric: MetricDefinition,
  { unit, flagged, baselines }: ScalingChoice,
): number | null {
  if (unit === 'absolute') return 1;
  const baseline = baselines.get(treatment.id);
  if (!baseline) return null;
  const values = runValues(baseline, { metric: metric.id, flagged });
  const { value } = estimateValues(
    values.map((entry) => entry.value),
    metric,
  );
  return value !== null && value > 0 ? 100 / value : null;
}

/** An estimate times a factor. */
export function scaleEstimate(estimate: Estimate, factor: number): Estimate {
  const by = (value: number | null) => (value === null ? null : value * factor);
  return { ...estimate, value: by(estimate.value), lo: by(estimate.lo), hi: by(estimate.hi) };
}

export function shownUnit(unit: CompareState['unit'], absolute: string): string {
  return unit === 'baseline' ? '%' : absolute;
}

/** Said under every picture in per cent, since the interval leaves the baseline's own doubt out. */
export const percentNote = 'of its baseline, whose own interval is not in these';
