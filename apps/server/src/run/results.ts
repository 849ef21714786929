import { isComplete } from '@mqttlab/shared/catalogue/evidence/evidence';
import { type Failure, type RunSummary, runCode, runName } from '@mqttlab/shared/domain/runs/run';
import { isFinished, isSettled } from '@mqttlab/shared/domain/runs/statuses';
import { Changes, poll } from '@mqttlab/shared/kit/poll';
import type { ServerEvents } from '../base/events.ts';
import type { DeliveredResult } from '../devices/agent-link.ts';
import { type DeviceClocks, joinClocks } from '../devices/device-clocks.ts';
import type { Live } from '../live/live.ts';
import type { AnalysisStores } from '../results/compare.ts';
import { finishRun } from '../results/finish-run.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { StorageError } from '../store/storage-error.ts';
import { toFailure } from './run-failures.ts';

/** Pre-flight runs are numbered from here; their results are not stored. */
export const firstProbeRunId = 900_000_000_000;

/** Services for finalising runs. */
export interface SettlingServices {
  stores: AnalysisStores;
  live: Pick<Live, 'publishRun' | 'note' | 'reportError'>;
  time: { nowMs: () => number };
}

interface ResultServiceOptions extends SettlingServices {
  events: ServerEvents;
}

/** The results of one run while the server is waiting for them. */
export type ResultCollector = ReturnType<ResultService['openCollector']>;
export type ResultService = ReturnType<typeof makeResultService>;

interface Collector {
  missing: Set<string>;
  /** Set if the last result that arrived could not be stored. */
  trouble: { error: unknown } | null;
  clocks: DeviceClocks | null;
  changes: Changes;
}

/** Stores the results of runs, whether they arrive in time or late. */
export function makeResultService(options: ResultServiceOptions) {
  const { runs } = options.stores;
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
      collector?.changes.notify();
    }
  };

  const correctLate = (run: RunSummary): void => {
    if (run.status !== 'failed' && run.status !== 'interrupted') return;
    try {
      if (outcomeOfStored(runs, run.id)?.failure !== null) return;
      if (settleLateRun(options, run)) options.events.emit('run-corrected', run);
    } catch (error) {
      // If the disk is full, the device sends the result again. Any other error is unrelated to the result,
      // which is stored.
      if (error instanceof StorageError) throw error;
      options.live.reportError(error);
    }
  };

  return {
    /**
     * Stores a result once; an existing result stays unchanged. Returns why it can never be stored, or null.
     * The device's role during the run counts, not its current role. Throws StorageError if nothing was
     * stored.
     */
    storeResult(delivered: DeliveredResult): string | null {
      const { runId, deviceId, result } = delivered;
      if (runId >= firstProbeRunId) return null;
      const run = runs.findRun(runId);
      if (run === null || run.status === 'planned') return `this server never started run ${runId}`;
      // An imported run has no participants, so no device reports about it.
      if (runs.readRunDevices(runId).get(deviceId) !== result.role)
        return `${deviceId} did not have the role ${result.role} in run ${runId}`;
      save(delivered);
      if (!collectors.has(runId)) correctLate(run);
      return null;
    },
    /** Collects the results of these devices. When the collector is closed, further results count as late. */
    openCollector(runId: number, deviceIds: readonly string[]) {
      const collector: Collector = {
        missing: new Set(deviceIds),
        trouble: null,
        clocks: null,
        changes: new Changes(),
      };
      collectors.set(runId, collector);
      return {
        /**
         * Resolves with the devices whose results did not arrive in time, or before `signal` aborted. While
         * results arrive but cannot be stored, waits for `unstoredMs`, then rejects with the last
         * StorageError.
         */
        async findMissing(
          timeoutMs: number,
          { unstoredMs = 0, signal }: { unstoredMs?: number; signal?: AbortSignal } = {},
        ): Promise<string[]> {
          const { missing, changes } = collector;
          const isComplete = (): boolean => missing.size === 0;
          const limits = { changes, ...(signal && { signal }) };
          await poll(isComplete, { ...limits, timeoutMs });
          if (collector.trouble !== null)
            await poll(isComplete, { ...limits, timeoutMs: unstoredMs - timeoutMs });
          if (collector.trouble !== null && signal?.aborted !== true) throw collector.trouble.error;
          return [...missing];
        },
        /** Sets the clock offsets of the devices, which are added to later results. */
        setClocks(clocks: DeviceClocks): void {
          collector.clocks = clocks;
        },
        close: (): void => void collectors.delete(runId),
      };
    },
  };
}

interface RetryOptions {
  /** Aborted if the server stops or the run is cancelled; only a few more attempts are then made. */
  signal: AbortSignal;
  /** Longest wait, ms. */
  timeoutMs: number;
  /** Called on the first failure and then every minute, with the time since the first attempt, in ms. */
  onWaiting: (error: StorageError, sinceMs: number) => void;
  everyMs?: number;
}

const reportEveryMs = 60_000;
const triesWhenStopped = 4;

/**
 * Retries `store` while the disk is full. Rejects with the StorageError after `timeoutMs` or if the signal aborts, and
 * immediately with any other error.
 */
export async function storeWithRetries<T>(store: () => T, options: RetryOptions): Promise<T> {
  const { signal, timeoutMs, onWaiting, everyMs = 500 } = options;
  const startedAt = performance.now();
  let reportedAt = Number.NEGATIVE_INFINITY;
  let triesLeft = triesWhenStopped;
  let outcome = { error: null } as { stored: T } | { error: unknown };
  const attempt = (): boolean => {
    try {
      outcome = { stored: store() };
      return true;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      outcome = { error };
      const sinceMs = performance.now() - startedAt;
      if (signal.aborted) triesLeft -= 1;
      if (triesLeft < 0 || sinceMs >= timeoutMs) return true;
      if (sinceMs - reportedAt >= reportEveryMs) {
        reportedAt = sinceMs;
        onWaiting(error, sinceMs);
      }
      return false;
    }
  };
  await poll(attempt, { everyMs });
  if ('stored' in outcome) return outcome.stored;
  throw outcome.error;
}

/** Failure code of a run during which the server crashed; a normal shutdown has a different code. */
const serverEndedCode = 'interrupted';
/** Maximum number of server crashes during one trial for which the trial is repeated automatically. */
export const maxServerEnds = 3;

/** Returns the number of server crashes during these attempts. Pure. */
export function countServerEnds(attempts: readonly Pick<RunSummary, 'status' | 'failure'>[]): number {
  return attempts.filter(
    ({ status, failure }) => status === 'interrupted' && failure?.code === serverEndedCode,
  ).length;
}

const interruption = {
  code: serverEndedCode,
  message: 'The server stopped during the run.',
  remedy: 'No action is needed. The trial is run again, and a late result corrects this run.',
};

const neverBegun = {
  code: 'cancelled',
  message: 'It was planned but never started.',
  remedy: 'Retry it if needed.',
};

const endedByResults = {
  code: 'server-ended',
  message: `The server stopped ${maxServerEnds} times while it was evaluating the results of this run, so it does not try again.`,
  remedy: 'The results are stored. Check the server’s log for the cause and report it; then retry the trial.',
};

/** Returns the outcome of a run from its stored results; null while a result is missing. */
export function outcomeOfStored(
  runs: Pick<RunStore, 'listRoleResults' | 'readRunDevices'>,
  runId: number,
): { failure: Failure | null } | null {
  const results = runs.listRoleResults(runId);
  const participants = [...runs.readRunDevices(runId).values()];
  if (!isComplete(results, participants)) return null;
  return { failure: results.find(({ failure }) => failure !== null)?.failure ?? null };
}

/**
 * Finalises every run that an earlier server process left unfinished, before any other work: by its results
 * if all are stored. Returns the ids of the other runs, whose results devices may still have. Retries that
 * were planned but not started stay planned. Throws StorageError.
 */
export function settleInterrupted(services: SettlingServices): number[] {
  const { stores, live, time } = services;
  const { runs, experiments } = stores;
  const unsettled = runs.listUnsettledRuns();
  const over = (experimentId: number) =>
    isFinished(experiments.findExperiment(experimentId)?.status ?? 'cancelled');
  for (const experimentId of new Set(unsettled.map((run) => run.experimentId))) {
    if (over(experimentId)) dropPlanned(services, experimentId);
  }
  return unsettled.flatMap((run) => {
    if (run.status === 'planned' || settleByResults(services, run)) return [];
    const failure = interruptionOf(services, run);
    runs.updateRun(run.id, { status: 'interrupted', failure, finishedAt: time.nowMs() });
    live.note('warn', `${runCode(run)} was interrupted: ${failure.message}`, aboutRun(run));
    return [run.id];
  });
}

/**
 * Finalises a run whose end could not be stored: by its results if they are complete, otherwise by `ending`,
 * which is null if unknown. Throws StorageError.
 */
export function settleLeft(
  services: SettlingServices,
  runId: number,
  ending: Parameters<RunStore['updateRun']>[1] | null,
): void {
  const { stores, live, time } = services;
  const { runs } = stores;
  const run = runs.findRun(runId);
  if (run === null || isSettled(run.status)) return;
  if (outcomeOfStored(runs, runId)?.failure === null && settleByResults(services, run)) return;
  const failure = { ...interruption, message: 'The end of the run could not be stored.' };
  runs.updateRun(runId, ending ?? { status: 'interrupted', failure, finishedAt: time.nowMs() });
  live.publishRun(runId);
}

/**
 * Marks an abandoned run as done. Returns false if a later attempt at its trial is done. Throws StorageError.
 */
function settleLateRun(services: SettlingServices, run: RunSummary): boolean {
  const { stores, live } = services;
  const { runs } = stores;
  const { id, experimentId, trialNumber } = run;
  const instead = runs
    .listRuns(experimentId)
    .find((other) => other.trialNumber === trialNumber && other.id > id && other.status === 'done');
  const arrived = `The results of ${runCode(run)} arrived late;`;
  if (instead) {
    live.note(
      'info',
      `${arrived} its trial was completed by ${runName(instead)}, which counts`,
      aboutRun(run),
    );
    return false;
  }
  finishRun(stores, id);
  runs.updateRun(id, { status: 'done', failure: null });
  live.note('info', `${arrived} it is now complete and counts`, aboutRun(run));
  live.publishRun(id);
  return true;
}

/** Cancels retries of an experiment that were requested but not started. Throws StorageError. */
export function dropPlanned({ stores: { runs }, live, time }: SettlingServices, experimentId: number): void {
  for (const { id, status } of runs.listRuns(experimentId)) {
    if (status !== 'planned') continue;
    runs.updateRun(id, { status: 'cancelled', failure: neverBegun, finishedAt: time.nowMs() });
    live.publishRun(id);
  }
}

/**
 * Finalises a run from its stored results; returns false while a result is missing. Each attempt is counted
 * before it starts, so that results that crash the server are only evaluated a few times. Throws
 * StorageError.
 */
function settleByResults(services: SettlingServices, run: RunSummary): boolean {
  const { stores, live } = services;
  const { runs } = stores;
  const { id } = run;
  const failure = findFailure(services, id);
  if (failure === 'incomplete') return false;
  const finishedAt = runs.findLastResultAt(id) ?? services.time.nowMs();
  runs.updateRun(id, { status: failure === null ? 'done' : 'failed', failure, finishedAt });
  if (failure === null) {
    live.note(
      'info',
      `${runCode(run)} is done: all its results had been stored when the server stopped`,
      aboutRun(run),
    );
  } else live.note('error', `${runCode(run)} failed: ${failure.message}`, aboutRun(run));
  live.publishRun(id);
  return true;
}

/** Evaluates the stored results. Returns the failure, or null if no role failed. */
function findFailure({ stores }: SettlingServices, runId: number): Failure | 'incomplete' | null {
  const { runs } = stores;
  if (runs.findLastResultAt(runId) === null) return 'incomplete';
  const begun = runs.beginSettling(runId);
  if (begun > maxServerEnds) return endedByResults;
  try {
    const outcome = outcomeOfStored(runs, runId);
    if (outcome === null) return 'incomplete';
    if (outcome.failure === null) finishRun(stores, runId);
    return outcome.failure;
  } catch (error) {
    if (error instanceof StorageError) throw error;
    return toFailure(error);
  }
}

/**
 * Returns the failure of an interrupted run. A trial that repeatedly crashes the server is not repeated
 * indefinitely.
 */
function interruptionOf(
  { stores: { runs } }: SettlingServices,
  { experimentId, trialNumber }: RunSummary,
): Failure {
  const attempts = runs.listRuns(experimentId).filter((run) => run.trialNumber === trialNumber);
  const ends = countServerEnds(attempts) + 1;
  if (ends < maxServerEnds) return interruption;
  return {
    code: serverEndedCode,
    message: `The server stopped during the run, ${ends} times so far in this trial, so the trial is not repeated automatically.`,
    remedy: 'Check the server and system logs for the cause, then retry the failed runs.',
  };
}

function aboutRun({ id, experimentId }: RunSummary) {
  return { experimentId, runId: id };
}
