import { levelOf } from '@mqttlab/shared/analysis/counting-runs';
import { resultOf } from '@mqttlab/shared/analysis/result';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { Headline } from '@mqttlab/shared/domain/runs/experiment';
import type { MetricValue } from '../store/runs/metric-values.ts';

/** What the list says of an experiment: the leading contrast on its response. Pure; null where nothing is compared. */
export function makeHeadline(plan: Plan, values: readonly MetricValue[]): Headline | null {
  const metric = findMetric(plan.response);
  if (!metric || values.length === 0) return null;
  const { estimates, lead } = resultOf({
    treatments: treatmentsOf(plan, values),
    baselineId: plan.baselineKey,
    metric,
    flagged: false,
  });
  if (!lead) return null;
  const { scale, value, lo, hi, p, outcome } = lead.contrast;
  return {
    metric: metric.id,
    who: lead.who,
    figure: lead.figure,
    sentence: lead.sentence,
    outcome,
    scale,
    value,
    lo,
    hi,
    p,
    points: estimates.flatMap(({ treatment, estimate }) =>
      estimate.value === null ? [] : [{ mark: treatment.treatment.mark, value: estimate.value }],
    ),
  };
}

function treatmentsOf(plan: Plan, values: readonly MetricValue[]): ComparedTreatment[] {
  const byTreatment = Map.groupBy(values, ({ treatmentKey }) => treatmentKey);
  return plan.treatments.map((treatment) => ({
    id: treatment.key,
    experimentId: 0,
    treatment,
    level: levelOf(plan),
    runs: (byTreatment.get(treatment.key) ?? []).map(({ runId, block, value, bases }) => ({
      runId,
      block,
      flagged: false,
      metrics: { [plan.response]: value },
      bases,
    })),
    latency: null,
    latencyWithFlagged: null,
  }));
}
