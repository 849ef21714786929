import { setTimeout as wait } from 'node:timers/promises';
import { isComplete } from '@mqttlab/shared/catalogue/evidence/evidence';
import { type Failure, type RunSummary, runCode, runName } from '@mqttlab/shared/domain/runs/run';
import { isFinished, isSettled } from '@mqttlab/shared/domain/runs/statuses';
import type { DeliveredResult } from '../devices/agent-link.ts';
import { type DeviceClocks, joinClocks } from '../devices/device-clocks.ts';
import type { RunEvents } from '../live/run-events.ts';
import type { ExperimentStore } from '../store/experiments/experiment-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { StorageError } from '../store/storage-error.ts';
import { toFailure } from './run-failures.ts';

/** Runs of a pre-flight have numbers from here on; their results are not kept. */
export const firstProbeRunId = 900_000_000_000;

interface ResultServiceOptions {
  runs: Pick<RunStore, 'find' | 'devicesOf' | 'saveResult' | 'results'>;
  /** The last result came for a Run that had been given up, and no role has failed. */
  onLateSet: (run: RunSummary) => void;
  onTrouble: (error: unknown) => void;
}

/** The results of one Run while somebody waits for them. */
export type ResultCollector = ReturnType<ResultService['open']>;
export type ResultService = ReturnType<typeof makeResultService>;

interface Collector {
  missing: Set<string>;
  /** The last result that came could not be kept. */
  trouble: { error: unknown } | null;
  clocks: DeviceClocks | null;
  onChange: () => void;
}

/** Where results arrive, in time or late. */
export function makeResultService(options: ResultServiceOptions) {
  const { runs } = options;
  const collectors = new Map<number, Collector>();

  const save = ({ deviceId, runId, result }: DeliveredResult): void => {
    const collector = collectors.get(runId);
    try {
      const clock = collector?.clocks?.get(deviceId) ?? null;
      runs.saveResult(runId, deviceId, { ...result, clock: joinClocks(result.clock, clock) });
      collector?.missing.delete(deviceId);
      if (collector) collector.trouble = null;
    } catch (error) {
      if (collector) collector.trouble = { error };
      throw error;
    } finally {
      collector?.onChange();
    }
  };

  const correctLate = (run: RunSummary): void => {
    if (run.status !== 'failed' && run.status !== 'interrupted') return;
    try {
      if (outcomeOfStored(runs, run.id)?.failure === null) options.onLateSet(run);
    } catch (error) {
      // With the disk full the result comes again; anything else is no fault of the result, which is stored.
      if (error instanceof StorageError) throw error;
      options.onTrouble(error);
    }
  };

  return {
    /**
     * Stores a result once; one that is there already is left as it is. Why it never will be stored, in words, or null:
     * what counts is what the device played in the Run, whatever it plays now. Throws StorageError; then nothing was kept.
     */
    store(delivered: DeliveredResult): string | null {
      const { runId, deviceId, result } = delivered;
      if (runId >= firstProbeRunId) return null;
      const run = runs.find(runId);
      if (run === null || run.status === 'planned') return `this server never began a run ${runId}`;
      // Nobody took part in a Run that was imported, so that nobody reports about it.
      if (runs.devicesOf(runId).get(deviceId) !== result.role)
        return `${deviceId} was no ${result.role} of run ${runId}`;
      save(delivered);
      if (!collectors.has(runId)) correctLate(run);
      return null;
    },
    /** From now on the results of these devices go to the collector; when it is closed, they are late. */
    open(runId: number, deviceIds: readonly string[]) {
      const collector: Collector = {
        missing: new Set(deviceIds),
        trouble: null,
        clocks: null,
        onChange: () => {},
      };
      collectors.set(runId, collector);
      return {
        /**
         * Resolves with the devices whose results did not come in time; none when all did. While results come and
         * cannot be stored it goes on for `unstoredMs`, and then rejects with the StorageError of the last.
         */
        wait: (timeoutMs: number, unstoredMs = 0): Promise<string[]> =>
          waitFor(collector, timeoutMs, unstoredMs),
        /** How the clocks of the devices compare, as far as it is known; results that come from now on carry it. */
        setClocks(clocks: DeviceClocks): void {
          collector.clocks = clocks;
        },
        close: (): void => void collectors.delete(runId),
      };
    },
  };
}

function waitFor(collector: Collector, timeoutMs: number, unstoredMs: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      if (collector.trouble) reject(collector.trouble.error);
      else resolve([...collector.missing]);
    };
    const timeUp = (): void => {
      if (collector.trouble && unstoredMs > timeoutMs) timer = setTimeout(end, unstoredMs - timeoutMs);
      else end();
    };
    let timer = setTimeout(timeUp, timeoutMs);
    collector.onChange = () => {
      if (collector.missing.size > 0) return;
      clearTimeout(timer);
      resolve([]);
    };
    collector.onChange();
  });
}

interface UntilStoredOptions {
  /** Aborted: somebody stops the server or cancels the Run, and a few tries more are all there are. */
  signal: AbortSignal;
  /** So long at most, ms. */
  timeoutMs: number;
  /** Called at the first failure and then each minute, with how long it has been going on, ms. */
  onWaiting: (error: StorageError, sinceMs: number) => void;
  everyMs?: number;
}

const tellEveryMs = 60_000;
const triesWhenStopped = 4;

/**
 * On a full disk nothing can go on: waits for room. Rejects with the StorageError once the time is over or the signal
 * aborted, and at once with any other error: waiting does not help there.
 */
export async function untilStored<T>(store: () => T, options: UntilStoredOptions): Promise<T> {
  const { signal, timeoutMs, onWaiting, everyMs = 500 } = options;
  const startedAt = performance.now();
  let toldAt: number | null = null;
  for (let stopped = 0; ; stopped += signal.aborted ? 1 : 0) {
    try {
      return store();
    } catch (error) {
      const sinceMs = performance.now() - startedAt;
      const isOver = sinceMs >= timeoutMs || stopped >= triesWhenStopped;
      if (!(error instanceof StorageError) || isOver) throw error;
      if (toldAt === null || sinceMs - toldAt >= tellEveryMs) {
        toldAt = sinceMs;
        onWaiting(error, sinceMs);
      }
      await wait(everyMs);
    }
  }
}

export interface SettlingDependencies {
  experiments: Pick<ExperimentStore, 'find'>;
  runs: RunStore;
  /** Turns the stored results of a Run into metrics and verdicts. */
  finishRun: (runId: number) => void;
  events: Pick<RunEvents, 'run' | 'note'>;
  nowMs: () => number;
}

/** Of a Run in whose middle the server ended; one that somebody stopped is interrupted for another reason. */
const serverEndedCode = 'interrupted';
/** So often the server may end in the middle of one Trial before that is not run again by itself. */
export const maxServerEnds = 3;

/** How often the server ended in the middle of these attempts. Pure. */
export function countServerEnds(attempts: readonly Pick<RunSummary, 'status' | 'failure'>[]): number {
  return attempts.filter(
    ({ status, failure }) => status === 'interrupted' && failure?.code === serverEndedCode,
  ).length;
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
