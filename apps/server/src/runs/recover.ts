import { isFinished } from '@mqttlab/shared/domain/runs/experiment';
import { type Failure, isSettled, type RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { ExperimentStore, RunStore } from '../ports.ts';
import { StorageError } from '../store/storage-error.ts';
import { outcomeOfStored } from './late-run.ts';
import type { RunEvents } from './run-events.ts';
import { toFailure } from './to-failure.ts';
import { countServerEnds, maxServerEnds, serverEndedCode } from './trial-ledger.ts';

export interface RecoverDependencies {
  experiments: Pick<ExperimentStore, 'find'>;
  runs: Pick<
    RunStore,
    | 'listUnsettled'
    | 'listOf'
    | 'update'
    | 'results'
    | 'devicesOf'
    | 'beginSettling'
    | 'lastResultAt'
    | 'find'
  >;
  finishRun: (runId: number) => void;
  tell: RunEvents;
  nowMs: () => number;
}

const interruption = {
  code: serverEndedCode,
  message: 'The server ended in the middle of the run.',
  remedy: 'Nothing is to be done: the trial is run again, and a result that still arrives corrects this run.',
};

const neverBegun = {
  code: 'cancelled',
  message: 'It was planned and never begun.',
  remedy: 'Retry it when it is needed.',
};

/**
 * Settles every Run that an earlier life of the server left under way, before anything else is done: by its results
 * where all are stored. Returns the ids of the others, which devices may still hold. Retries that were planned but not
 * begun stay planned. Throws StorageError.
 */
export function settleInterrupted(deps: RecoverDependencies): number[] {
  const { runs, experiments, tell, nowMs } = deps;
  const unsettled = runs.listUnsettled();
  const over = (experimentId: number) => isFinished(experiments.find(experimentId)?.status ?? 'cancelled');
  for (const experimentId of new Set(unsettled.map((run) => run.experimentId))) {
    if (over(experimentId)) dropPlanned(deps, experimentId);
  }
  return unsettled.flatMap((run) => {
    if (run.status === 'planned' || settleByResults(deps, run)) return [];
    const failure = interruptionOf(deps, run);
    runs.update(run.id, { status: 'interrupted', failure, finishedAt: nowMs() });
    const text = `Run ${run.id} was interrupted: ${failure.message}`;
    const line = { at: nowMs(), level: 'warn' as const, source: 'server', text };
    tell.log({ experimentId: run.experimentId, runId: run.id, line });
    return [run.id];
  });
}

/**
 * Settles a Run by the results that are stored of it; false while one is missing. Each try is counted before it is
 * begun, so that results which end the server do so a few times only. Throws StorageError.
 */
function settleByResults(deps: RecoverDependencies, run: RunSummary): boolean {
  const { runs, tell } = deps;
  const { id, experimentId } = run;
  const log = (level: 'info' | 'error', text: string): void =>
    tell.log({ experimentId, runId: id, line: { at: deps.nowMs(), level, source: 'server', text } });
  const failed = findFailure(deps, id);
  if (failed === 'incomplete') return false;
  const finishedAt = runs.lastResultAt(id) ?? deps.nowMs();
  runs.update(id, { status: failed === null ? 'done' : 'failed', failure: failed, finishedAt });
  if (failed === null) log('info', `Run ${id} is done: all its results were stored when the server ended`);
  else log('error', `Run ${id} failed: ${failed.message}`);
  tell.run(id);
  return true;
}

/**
 * Settles a Run whose end could not be stored when it came: by its results where they are whole, else as it ended; null:
 * nobody knows how. Throws StorageError.
 */
export function settleLeft(
  deps: RecoverDependencies,
  runId: number,
  ending: Parameters<RunStore['update']>[1] | null,
): void {
  const { runs, tell, nowMs } = deps;
  const run = runs.find(runId);
  if (run === null || isSettled(run.status)) return;
  if (outcomeOfStored(runs, runId)?.failure === null && settleByResults(deps, run)) return;
  const failure = { ...interruption, message: 'How the run ended could not be stored.' };
  runs.update(runId, ending ?? { status: 'interrupted', failure, finishedAt: nowMs() });
  tell.run(runId);
}

/** Evaluates the stored results: null where all is well. */
function findFailure({ runs, finishRun }: RecoverDependencies, runId: number): Failure | 'incomplete' | null {
  if (runs.lastResultAt(runId) === null) return 'incomplete';
  const begun = runs.beginSettling(runId);
  if (begun > maxServerEnds) return endedByResults;
  try {
    const outcome = outcomeOfStored(runs, runId);
    if (outcome === null) return 'incomplete';
    if (outcome.failure === null) finishRun(runId);
    return outcome.failure;
  } catch (error) {
    if (error instanceof StorageError) throw error;
    return toFailure(error);
  }
}

const endedByResults = {
  code: 'server-ended',
  message: `The server ended ${maxServerEnds} times while it evaluated the results of this run, so it leaves them alone.`,
  remedy:
    'The results are kept. Look at the log of the server for why it ended and report this; then retry the trial.',
};

/** A trial that ends the server again and again is not run for ever. */
function interruptionOf({ runs }: RecoverDependencies, { experimentId, trialNumber }: RunSummary): Failure {
  const attempts = runs.listOf(experimentId).filter((run) => run.trialNumber === trialNumber);
  const ends = countServerEnds(attempts) + 1;
  if (ends < maxServerEnds) return interruption;
  return {
    code: serverEndedCode,
    message: `The server ended in the middle of the run, ${ends} times now at this trial: it is not run again by itself.`,
    remedy: 'Look at the log of the server and of the system for why it ended, then retry the failed runs.',
  };
}

/** Settles the retries of an experiment that were asked for and will not happen. Throws StorageError. */
export function dropPlanned(
  { runs, tell, nowMs }: Pick<RecoverDependencies, 'runs' | 'tell' | 'nowMs'>,
  experimentId: number,
): void {
  for (const { id, status } of runs.listOf(experimentId)) {
    if (status !== 'planned') continue;
    runs.update(id, { status: 'cancelled', failure: neverBegun, finishedAt: nowMs() });
    tell.run(id);
  }
}
