import { treatmentsOfRuns } from '@mqttlab/shared/analysis/counting-runs';
import { type Result, resultOf } from '@mqttlab/shared/analysis/result';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';

/** What the valid runs of an experiment say of every metric that they carry, its response first. Pure. */
export function resultsOfRuns(experimentId: number, plan: Plan, runs: readonly RunSummary[]): Result[] {
  const treatments = treatmentsOfRuns(experimentId, plan, runs);
  const carried = metrics.filter(({ id }) => runs.some((run) => typeof run.metrics[id] === 'number'));
  const isResponse = ({ id }: { id: string }) => id === plan.response;
  return [...carried.filter(isResponse), ...carried.filter((metric) => !isResponse(metric))].map((metric) =>
    resultOf({ treatments, baselineId: plan.baselineKey, metric, flagged: false }),
  );
}
