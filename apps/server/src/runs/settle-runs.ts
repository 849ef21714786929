import { isComplete } from '@mqttlab/shared/catalogue/evidence/evidence';
import { type Failure, type RunSummary, runCode, runName } from '@mqttlab/shared/domain/runs/run';
import { isFinished, isSettled } from '@mqttlab/shared/domain/runs/statuses';
import type { ExperimentStore } from '../store/experiments/experiment-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { StorageError } from '../store/storage-error.ts';
import type { RunEvents } from './run-events.ts';
import { toFailure } from './run-failures.ts';
import { countServerEnds, maxServerEnds, serverEndedCode } from './trial-ledger.ts';

export interface SettlingDependencies {
  experiments: Pick<ExperimentStore, 'find'>;
  runs: RunStore;
  /** Turns the stored results of a Run into metrics and verdicts. */
  finishRun: (runId: number) => void;
  events: Pick<RunEvents, 'run' | 'note'>;
  nowMs: () => number;
}

const interruption = {
  code: serverEndedCode,
  message: 'The server ended during the run.',
  remedy:
    'Nothing needs to be done: the trial is run again, and a result that still arrives corrects this run.',
};

const neverBegun = {
  code: 'cancelled',
  message: 'It was planned but never started.',
  remedy: 'Retry it when it is needed.',
};

const endedByResults = {
  code: 'server-ended',
  message: `The server ended ${maxServerEnds} times while it evaluated the results of this run, so it does not try again.`,
  remedy:
    'The results are kept. Look at the log of the server for why it ended and report this; then retry the trial.',
};

/** How a Run went by the results that are stored of it; null while one is missing. */
export function outcomeOfStored(
  runs: Pick<RunStore, 'results' | 'devicesOf'>,
  runId: number,
): { failure: Failure | null } | null {
  const results = runs.results(runId);
  const participants = [...runs.devicesOf(runId).values()];
  if (!isComplete(results, participants)) return null;
  return { failure: results.find(({ failure }) => failure !== null)?.failure ?? null };
}

/**
 * Settles every Run that an earlier life of the server left under way, before anything else is done: by its results
 * where all are stored. Returns the ids of the others, which devices may still hold. Retries that were planned but not
 * begun stay planned. Throws StorageError.
 */
export function settleInterrupted(deps: SettlingDependencies): number[] {
  const { runs, experiments, events, nowMs } = deps;
  const unsettled = runs.listUnsettled();
  const over = (experimentId: number) => isFinished(experiments.find(experimentId)?.status ?? 'cancelled');
  for (const experimentId of new Set(unsettled.map((run) => run.experimentId))) {
    if (over(experimentId)) dropPlanned(deps, experimentId);
  }
  return unsettled.flatMap((run) => {
    if (run.status === 'planned' || settleByResults(deps, run)) return [];
    const failure = interruptionOf(deps, run);
    runs.update(run.id, { status: 'interrupted', failure, finishedAt: nowMs() });
    events.note('warn', `${runCode(run)} was interrupted: ${failure.message}`, aboutRun(run));
    return [run.id];
  });
}

/**
 * Settles a Run whose end could not be stored when it came: by its results where they are whole, else as it ended; null:
 * nobody knows how. Throws StorageError.
 */
export function settleLeft(
  deps: SettlingDependencies,
  runId: number,
  ending: Parameters<RunStore['update']>[1] | null,
): void {
  const { runs, events, nowMs } = deps;
  const run = runs.find(runId);
  if (run === null || isSettled(run.status)) return;
  if (outcomeOfStored(runs, runId)?.failure === null && settleByResults(deps, run)) return;
  const failure = { ...interruption, message: 'The end of the run could not be stored.' };
  runs.update(runId, ending ?? { status: 'interrupted', failure, finishedAt: nowMs() });
  events.run(runId);
}

/** A Run that had been given up is done after all: true, unless a later attempt at its trial is. Throws StorageError. */
export function settleLateRun(deps: SettlingDependencies, run: RunSummary): boolean {
  const { runs, events } = deps;
  const { id, experimentId, trialNumber } = run;
  const instead = runs
    .listOf(experimentId)
    .find((other) => other.trialNumber === trialNumber && other.id > id && other.status === 'done');
  const arrived = `The results of ${runCode(run)} arrived late;`;
  if (instead) {
    events.note('info', `${arrived} its trial was done as ${runName(instead)}, which counts`, aboutRun(run));
    return false;
  }
  deps.finishRun(id);
  runs.update(id, { status: 'done', failure: null });
  events.note('info', `${arrived} it is done after all and counts`, aboutRun(run));
  events.run(id);
  return true;
}

/** Settles the retries of an experiment that were asked for and will not happen. Throws StorageError. */
export function dropPlanned({ runs, events, nowMs }: SettlingDependencies, experimentId: number): void {
  for (const { id, status } of runs.listOf(experimentId)) {
    if (status !== 'planned') continue;
    runs.update(id, { status: 'cancelled', failure: neverBegun, finishedAt: nowMs() });
    events.run(id);
  }
}

/**
 * Settles a Run by the results that are stored of it; false while one is missing. Each try is counted before it is
 * begun, so that results which end the server do so a few times only. Throws StorageError.
 */
function settleByResults(deps: SettlingDependencies, run: RunSummary): boolean {
  const { runs, events } = deps;
  const { id } = run;
  const failure = findFailure(deps, id);
  if (failure === 'incomplete') return false;
  const finishedAt = runs.lastResultAt(id) ?? deps.nowMs();
  runs.update(id, { status: failure === null ? 'done' : 'failed', failure, finishedAt });
  if (failure === null) {
    events.note(
      'info',
      `${runCode(run)} is done: all its results were stored when the server ended`,
      aboutRun(run),
    );
  } else events.note('error', `${runCode(run)} failed: ${failure.message}`, aboutRun(run));
  events.run(id);
  return true;
}

/** Evaluates the stored results: null where all is well. */
function findFailure(
  { runs, finishRun }: SettlingDependencies,
  runId: number,
): Failure | 'incomplete' | null {
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

/** A trial that ends the server again and again is not run for ever. */
function interruptionOf({ runs }: SettlingDependencies, { experimentId, trialNumber }: RunSummary): Failure {
  const attempts = runs.listOf(experimentId).filter((run) => run.trialNumber === trialNumber);
  const ends = countServerEnds(attempts) + 1;
  if (ends < maxServerEnds) return interruption;
  return {
    code: serverEndedCode,
    message: `The server ended during the run, ${ends} times now at this trial: it is not run again by itself.`,
    remedy: 'Look at the log of the server and of the system for why it ended, then retry the failed runs.',
  };
}

function aboutRun({ id, experimentId }: RunSummary) {
  return { experimentId, runId: id };
}
