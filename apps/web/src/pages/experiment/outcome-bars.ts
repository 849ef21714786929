import type { Result } from '@mqttlab/shared/analysis/result';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { BarDatum, BarGroup } from '../../charts/datasets/bar-interval-data.ts';
import { barIdentity } from './trial-rows.ts';

export interface OutcomeBars {
  groups: BarGroup[];
  /** Runs that count, over all treatments. */
  runs: number;
}

/** One metric over the Runs of each Treatment, one bar per colour under each combination of the other factors. */
export function makeOutcomeBars(
  plan: Pick<Plan, 'varied' | 'treatments'>,
  { estimates }: Result,
): OutcomeBars {
  const groups = Map.groupBy(estimates, ({ treatment }) => treatment.treatment.rowLabel);
  return {
    groups: [...groups].flatMap(([title, own]) => {
      const bars = own.flatMap(({ treatment, estimate: { value, lo, hi } }): BarDatum[] => {
        if (value === null) return [];
        const interval = lo === null || hi === null ? {} : { lo, hi };
        return [{ treatment: barIdentity(treatment.treatment, plan), value, ...interval }];
      });
      return bars.length === 0 ? [] : [{ title, bars }];
    }),
    runs: estimates.reduce((sum, { values }) => sum + values.length, 0),
  };
}
