import { basesOf } from '@mqttlab/shared/catalogue/definitions';
import { summariseMetrics } from '@mqttlab/shared/catalogue/metrics';
import { judgeRun } from '@mqttlab/shared/catalogue/verdicts';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { makeHeadline } from './headline.ts';
import type { AnalysisStores } from './stores.ts';

/**
 * Computes verdicts, flag and metrics of a Run from its stored results, keeps them, and brings the headline of its
 * experiment up to date. Call it once every result is stored; calling it again gives the same. Throws RangeError when
 * the run or its plan is not there, StorageError when it cannot be kept.
 */
export function finishRun(stores: AnalysisStores, runId: number): RunSummary {
  const run = stores.runs.find(runId);
  if (!run) throw new RangeError(`there is no run ${runId}`);
  const plan = stores.experiments.find(run.experimentId)?.plan;
  const treatment = plan?.treatments.find(({ key }) => key === run.treatmentKey);
  if (!plan || !treatment)
    throw new RangeError(`the plan of run ${runId} has no treatment ${run.treatmentKey}`);
  const evidence = { spec: treatment.spec, results: stores.runs.results(runId) };
  stores.runs.saveSummary(runId, {
    verdicts: judgeRun(evidence),
    metrics: summariseMetrics(evidence),
    bases: basesOf(evidence),
  });
  // Of a run that is done already the store knows whether it counts.
  refreshHeadline(stores, run.experimentId, run.status === 'done' ? undefined : runId);
  return stores.runs.find(runId) ?? run;
}

/** Brings the headline of an experiment up to date; `finishing`: a Run that counts already. */
export function refreshHeadline(stores: AnalysisStores, experimentId: number, finishing?: number): void {
  const plan = stores.experiments.find(experimentId)?.plan;
  if (!plan) return;
  const which = { metric: plan.response, ...(finishing === undefined ? {} : { finishing }) };
  stores.experiments.saveHeadline(
    experimentId,
    makeHeadline(plan, stores.runs.valuesOf(experimentId, which)),
  );
}
