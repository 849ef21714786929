import type { Contrast } from '@mqttlab/shared/analysis/contrasts';
import { runValues } from '@mqttlab/shared/analysis/run-values';
import type { ComparedTreatment } from '@mqttlab/shared/domain/comparison';
import { meanInterval } from '@mqttlab/shared/statistics/interval';
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
  metric: string,
  { unit, flagged, baselines }: ScalingChoice,
): number | null {
  if (unit === 'absolute') return 1;
  const baseline = baselines.get(treatment.id);
  if (!baseline) return null;
  const values = runValues(baseline, { metric, flagged });
  const { mean } = meanInterval(values.map(({ value }) => value));
  return mean !== null && mean > 0 ? 100 / mean : null;
}

type Interval = { mean: number | null; lo: number | null; hi: number | null };

/** An interval times a factor. */
export function scaleInterval<Own extends Interval>(interval: Own, factor: number): Own {
  const by = (value: number | null) => (value === null ? null : value * factor);
  return { ...interval, mean: by(interval.mean), lo: by(interval.lo), hi: by(interval.hi) };
}

export function shownUnit(unit: CompareState['unit'], absolute: string): string {
  return unit === 'baseline' ? '%' : absolute;
}

/** Said under every picture in per cent, since the interval leaves the baseline's own doubt out. */
export const percentNote = 'of the mean of its baseline, whose own interval is not in these';
