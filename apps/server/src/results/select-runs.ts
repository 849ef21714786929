import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import { comparedId } from '@mqttlab/shared/domain/runs/comparison';
import { runCode, runName } from '@mqttlab/shared/domain/runs/run';
import type { CompareQuery } from '@mqttlab/shared/messages/http';
import { nameTreatments } from '@mqttlab/shared/planning/name-treatments';
import { notFound } from '../base/errors.ts';
import type { ExperimentRecord, ExperimentStore } from '../store/experiments/experiment-store.ts';
import type { LastAttempt } from '../store/runs/metric-values.ts';
import type { RunStore } from '../store/runs/run-store.ts';

/** Stores that analysis uses. */
export interface AnalysisStores {
  experiments: ExperimentStore;
  runs: RunStore;
}

export interface SelectedTreatment {
  /** As created by `comparedId`. */
  id: string;
  experiment: ExperimentRecord;
  treatment: Treatment;
  /** Finished, not excluded, and the counting attempt of its trial. */
  runs: LastAttempt[];
}

export interface Selection {
  experiments: ExperimentRecord[];
  treatments: SelectedTreatment[];
  /** Last attempts that failed or were interrupted. */
  failedRuns: number;
  /** Finished, but excluded by a user. */
  excludedRuns: { runId: number; name: string; reason: string }[];
}

/**
 * Resolves the numbers of a comparison; of the metrics of each run only the requested one. Throws a 404 problem for an
 * unknown number.
 */
export function selectRuns(
  stores: AnalysisStores,
  query: CompareQuery,
  metric: string | null = null,
): Selection {
  const wanted = query.runs ? new Set(parseIds(query.runs)) : null;
  const experiments = selectedExperiments(stores, query).map((id) => {
    const record = stores.experiments.findExperiment(id);
    if (!record || record.deletedAt !== null) throw notFound('experiment', id);
    return record;
  });
  const selection: Selection = { experiments, treatments: [], failedRuns: 0, excludedRuns: [] };
  for (const experiment of experiments) {
    const runs = stores.runs
      .listLastAttempts(experiment.id, metric)
      .filter((run) => wanted === null || wanted.has(run.id));
    selection.failedRuns += runs.filter(
      ({ status }) => status === 'failed' || status === 'interrupted',
    ).length;
    for (const { id, trialNumber, attempt, status, exclusion } of runs) {
      if (status !== 'done' || !exclusion) continue;
      const named = { experimentId: experiment.id, trialNumber, attempt };
      const name = experiments.length > 1 ? runCode(named) : runName(named);
      selection.excludedRuns.push({ runId: id, name, reason: exclusion.reason });
    }
    const done = Map.groupBy(
      runs.filter(({ status, exclusion }) => status === 'done' && exclusion === null),
      ({ treatmentKey }) => treatmentKey,
    );
    for (const treatment of experiment.plan?.treatments ?? []) {
      const own = done.get(treatment.key) ?? [];
      if (wanted !== null && own.length === 0) continue;
      selection.treatments.push({
        id: comparedId(experiment.id, treatment.key),
        experiment,
        treatment,
        runs: own,
      });
    }
  }
  if (experiments.length > 1) nameTogether(selection.treatments);
  return selection;
}

/** In a comparison, treatments are named by everything that differs between them; plans alone omit what they share. */
function nameTogether(selected: SelectedTreatment[]): void {
  const names = nameTreatments(selected.map(({ treatment }) => treatment.levels));
  selected.forEach((one, index) => {
    one.treatment = { ...one.treatment, ...names[index] };
  });
}

/** Numbers of the experiments of a comparison, without duplicates. Throws a 404 problem for an unknown run. */
export function selectedExperiments(stores: AnalysisStores, query: CompareQuery): number[] {
  const ofRuns = parseIds(query.runs).map((id) => experimentOf(stores, id));
  return [...new Set([...parseIds(query.experiments), ...ofRuns])];
}

function parseIds(text: string | undefined): number[] {
  return text ? text.split(',').map(Number) : [];
}

function experimentOf(stores: AnalysisStores, runId: number): number {
  const experimentId = stores.runs.findExperimentOfRun(runId);
  if (experimentId === null) throw notFound('run', runId);
  return experimentId;
}
