import { levelOf, treatmentsOfRuns } from '@mqttlab/shared/analysis/counting-runs';
import { type Result, resultOf } from '@mqttlab/shared/analysis/result';
import { basesOf } from '@mqttlab/shared/catalogue/definitions';
import { findMetric, metrics, summariseMetrics } from '@mqttlab/shared/catalogue/metrics';
import { judgeRun } from '@mqttlab/shared/catalogue/verdicts';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { Headline } from '@mqttlab/shared/domain/runs/experiment';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { MetricValue } from '../store/runs/metric-values.ts';
import type { AnalysisStores } from './compare.ts';

/**
 * Computes verdicts, flag and metrics of a run from its stored results, stores them, and updates the headline
 * of its experiment. Must be called after each result is stored; repeated calls give the same result. Throws
 * RangeError if the run or its plan does not exist, StorageError if the results cannot be stored.
 */
export function finishRun(stores: AnalysisStores, runId: number): RunSummary {
  const run = stores.runs.findRun(runId);
  if (!run) throw new RangeError(`there is no run ${runId}`);
  const plan = stores.experiments.findExperiment(run.experimentId)?.plan;
  const treatment = plan?.treatments.find(({ key }) => key === run.treatmentKey);
  if (!plan || !treatment)
    throw new RangeError(`the plan of run ${runId} has no treatment ${run.treatmentKey}`);
  const evidence = { spec: treatment.spec, results: stores.runs.listRoleResults(runId) };
  stores.runs.saveRunSummary(runId, {
    verdicts: judgeRun(evidence),
    metrics: summariseMetrics(evidence),
    bases: basesOf(evidence),
  });
  // For a completed run, the store already records whether it counts.
  refreshHeadline(stores, run.experimentId, run.status === 'done' ? undefined : runId);
  return stores.runs.findRun(runId) ?? run;
}

/** Updates the headline of an experiment; `finishing`: a run that is about to be completed. */
export function refreshHeadline(stores: AnalysisStores, experimentId: number, finishing?: number): void {
  const plan = stores.experiments.findExperiment(experimentId)?.plan;
  if (!plan) return;
  const which = { metric: plan.response, ...(finishing === undefined ? {} : { finishing }) };
  stores.experiments.saveHeadline(
    experimentId,
    makeHeadline(plan, stores.runs.readExperimentValues(experimentId, which)),
  );
}

/**
 * Returns the headline of an experiment in lists: the main contrast on its response. Pure; null if nothing is
 * compared.
 */
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

/** Summarises every metric of the valid runs in an experiment, its response first. Pure. */
export function resultsOfRuns(experimentId: number, plan: Plan, runs: readonly RunSummary[]): Result[] {
  const treatments = treatmentsOfRuns(experimentId, plan, runs);
  const carried = metrics.filter(({ id }) => runs.some((run) => typeof run.metrics[id] === 'number'));
  const isResponse = ({ id }: { id: string }) => id === plan.response;
  return [...carried.filter(isResponse), ...carried.filter((metric) => !isResponse(metric))].map((metric) =>
    resultOf({ treatments, baselineId: plan.baselineKey, metric, flagged: false }),
  );
}
