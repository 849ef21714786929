import { countingAttempts } from '@mqttlab/shared/domain/counting-attempt';
import type { Plan } from '@mqttlab/shared/domain/plan';
import type { RunSummary } from '@mqttlab/shared/domain/run';
import { meanInterval } from '@mqttlab/shared/statistics/interval';
import type { BarDatum, BarGroup } from '../charts/bar-interval-data.ts';
import { barIdentity } from './trial-rows.ts';

export interface OutcomeBars {
  groups: BarGroup[];
  /** Runs that count, over all treatments. */
  runs: number;
}

export interface OutcomeChoice {
  metric: string;
  /** Runs with a failed verdict count too. */
  takesFlagged: boolean;
}

type BarPlan = Pick<Plan, 'varied' | 'treatments'>;

/**
 * Mean of one metric over the valid Runs of each Treatment with Student's t interval, one bar per colour under each
 * combination of the other factors. A retried Trial counts once.
 */
export function makeOutcomeBars(
  plan: BarPlan,
  runs: readonly RunSummary[],
  { metric, takesFlagged }: OutcomeChoice,
): OutcomeBars {
  const counted = countingAttempts(runs).filter(
    (run) => run.status === 'done' && (takesFlagged || !run.flagged),
  );
  const groups = Map.groupBy(plan.treatments, (treatment) => treatment.rowLabel);
  return {
    groups: [...groups].flatMap(([title, treatments]) => {
      const bars = treatments.flatMap((treatment): BarDatum[] => {
        const values = counted.flatMap((run) =>
          run.treatmentKey === treatment.key ? (run.metrics[metric] ?? []) : [],
        );
        return makeBar(barIdentity(treatment, plan), values);
      });
      return bars.length === 0 ? [] : [{ title, bars }];
    }),
    runs: counted.filter((run) => typeof run.metrics[metric] === 'number').length,
  };
}

function makeBar(treatment: BarDatum['treatment'], values: readonly number[]): BarDatum[] {
  const { mean, lo, hi } = meanInterval(values);
  if (mean === null) return [];
  return [{ treatment, value: mean, ...(lo === null || hi === null ? {} : { lo, hi }) }];
}
