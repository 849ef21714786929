import { endsEarly } from '@mqttlab/shared/catalogue/workloads';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';

/** Seconds from the start of the measure phase to its end: as planned, or earlier where the load was over before. */
export function measuredEndS({
  results,
  treatment: { spec },
}: Pick<RunDetail, 'results' | 'treatment'>): number {
  if (!endsEarly(spec)) return spec.measureMs / 1000;
  const ends = results.flatMap(({ role, phases }) =>
    phases.flatMap(({ phase, durationUs }) =>
      role === 'publisher' && phase === 'measure' ? [durationUs / 1e6] : [],
    ),
  );
  return Math.min(spec.measureMs / 1000, ends[0] ?? Number.POSITIVE_INFINITY);
}
