import type { Plan, Treatment } from '@mqttlab/shared/domain/plan';
import type { RunSummary } from '@mqttlab/shared/domain/run';
import { meanInterval } from '@mqttlab/shared/statistics/interval';
import type { BarDatum, BarGroup } from '../charts/bar-interval-data.ts';
import type { TreatmentIdentity } from '../ui/treatment.ts';

export interface OutcomeBars {
  groups: BarGroup[];
  /** Runs that count, over all treatments. */
  runs: number;
}

/**
 * Mean of one metric over the valid Runs of each Treatment with Student's t interval, one bar per colour under each
 * combination of the other factors. A retried Trial counts once, by its last attempt.
 */
export function makeOutcomeBars(
  plan: Pick<Plan, 'treatments'>,
  runs: readonly RunSummary[],
  metric: string,
): OutcomeBars {
  const valid = runs.filter((run) => run.status === 'done' && !run.flagged);
  const lastOfTrial = new Map(valid.map((run) => [run.trialNumber, run]));
  const counted = [...lastOfTrial.values()];
  const groups = Map.groupBy(plan.treatments, (treatment) => treatment.rowLabel);
  return {
    groups: [...groups].flatMap(([title, treatments]) => {
      const bars = treatments.flatMap((treatment) => makeBar(treatment, counted, metric));
      return bars.length === 0 ? [] : [{ title, bars }];
    }),
    runs: counted.filter((run) => typeof run.metrics[metric] === 'number').length,
  };
}

function makeBar(treatment: Treatment, runs: readonly RunSummary[], metric: string): BarDatum[] {
  const values = runs.flatMap((run) =>
    run.treatmentKey === treatment.key ? (run.metrics[metric] ?? []) : [],
  );
  const { mean, lo, hi } = meanInterval(values);
  if (mean === null) return [];
  return [{ treatment: colourOf(treatment), value: mean, ...(lo === null || hi === null ? {} : { lo, hi }) }];
}

function colourOf(treatment: Treatment): TreatmentIdentity {
  return { index: treatment.mark, label: treatment.label, shortLabel: treatment.colourLabel };
}
