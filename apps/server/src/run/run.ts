import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { type RunSummary, runCode } from '@mqttlab/shared/domain/runs/run';
import { Failure, type FailureReport } from '@mqttlab/shared/kit/failure';
import type { AgentHub } from '../devices/agent-hub.ts';
import type { Live } from '../live/live.ts';
import { finishRun } from '../results/finish-run.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { StorageError } from '../store/storage-error.ts';
import type { Stores } from '../store/stores.ts';
import { outcomeOfStored, type ResultCollector, type ResultService, storeWithRetries } from './results.ts';
import type { RunParticipant } from './run-devices.ts';
import { toFailure } from './run-failures.ts';
import { type SessionServices, TrialSession } from './session.ts';

export interface RunServices extends SessionServices {
  agents: AgentHub;
  stores: Stores;
  live: Live;
  results: ResultService;
  /** How long a finished run waits for a writable database, in ms; for tests only. */
  storeTimeoutMs?: number | undefined;
}

interface RunRequest {
  run: RunSummary;
  spec: TrialSpec;
  testbedId: string;
  participants: readonly RunParticipant[];
  /** Aborted to end the run immediately; the reason is one of the failures in run-failures.ts. */
  signal: AbortSignal;
  /** When the previous run on this testbed ended, in Unix ms; null after a pause. */
  previousEndedAt: number | null;
}

type RunEnding = Parameters<RunStore['updateRun']>[1];

export type RunOutcome =
  | {
      status: 'done' | 'failed' | 'cancelled' | 'interrupted';
      failure: FailureReport | null;
      /** False if a device may still be executing this run. */
      cleanedUp: boolean;
    }
  /**
   * The database was not writable for too long. `ending` must be stored later; null if the run is completed
   * by its stored results.
   */
  | { status: 'unsettled'; ending: RunEnding | null; cause: unknown };

const resultTimeoutMs = 20_000;
const partialResultTimeoutMs = 300;
/** Timeout for the results of a run that was stopped after all its messages had arrived. */
const wholeResultTimeoutMs = 3_000;
const usualStoreTimeoutMs = 600_000;
const onlineTimeoutMs = 60_000;
const filesTimeoutMs = 120_000;

type Assignment = Pick<RunRequest, 'spec' | 'participants'>;

/**
 * Executes one run and finalises it in any case. `assign` returns the specification and the participants; an
 * error that it throws becomes the failure of the run. Only rejects because of a bug.
 */
export async function executeRun(
  services: RunServices,
  { assign, ...rest }: Omit<RunRequest, keyof Assignment> & { assign: () => Assignment },
): Promise<RunOutcome> {
  let assignment: Assignment;
  try {
    assignment = assign();
  } catch (error) {
    return settle(services, { request: rest, error, cleanedUp: true });
  }
  return executeWith(services, { ...rest, ...assignment });
}

async function executeWith(services: RunServices, request: RunRequest): Promise<RunOutcome> {
  const { run } = request;
  const deviceIds = request.participants.map(({ deviceId }) => deviceId);
  const collector = services.results.openCollector(run.id, deviceIds);
  const startedAt = services.time.nowMs();
  try {
    await stored(services, request, () => {
      services.stores.runs.saveRunDevices(run.id, request.participants);
      services.stores.runs.updateRun(run.id, { status: 'preparing', startedAt });
    });
    services.live.publishRun(run.id);
    await services.agents.wakeDevices(deviceIds, { timeoutMs: onlineTimeoutMs, signal: request.signal });
    request.signal.throwIfAborted();
    return await inSession(services, { request, collector, startedAt, unsaved: {}, drainedAt: null });
  } catch (error) {
    return await settle(services, { request, error, cleanedUp: true });
  } finally {
    collector.close();
  }
}

interface SessionState {
  request: RunRequest;
  collector: ResultCollector;
  startedAt: number;
  /** Run changes that are not stored yet. */
  unsaved: Parameters<RunStore['updateRun']>[1];
  /** When every message had arrived; null before that. */
  drainedAt: number | null;
}

async function inSession(services: RunServices, state: SessionState): Promise<RunOutcome> {
  const { request, collector } = state;
  const session = openSession(services, state);
  try {
    return await measure(services, session, state);
  } catch (error) {
    const { message, remedy } = toFailure(error);
    const isWhole = state.drainedAt !== null && statusOf(request, error) !== 'cancelled';
    const cleanedUp = isWhole ? await session.conclude(message) : await session.abort(message);
    // Partial results from a failed run are also stored.
    await collector.findMissing(isWhole ? wholeResultTimeoutMs : partialResultTimeoutMs).catch(() => {});
    if (isWhole && outcomeOfStored(services.stores.runs, request.run.id)?.failure === null) {
      const text = `All results of ${runCode(request.run)} arrived despite a failure: ${message} ${remedy}`;
      services.live.note('warn', text, aboutRun(request.run));
      return finish(services, state);
    }
    return await settle(services, { request, error, cleanedUp });
  } finally {
    session.close();
  }
}

async function measure(
  services: RunServices,
  session: TrialSession,
  state: SessionState,
): Promise<RunOutcome> {
  await session.prepare();
  const connectAt = services.time.nowMs();
  await session.connect();
  await session.load((measuredAt) => note(services, state, { status: 'running', measuredAt }));
  await session.drain();
  state.drainedAt = services.time.nowMs();
  const { request, startedAt } = state;
  const gapMs = request.previousEndedAt === null ? 0 : startedAt - request.previousEndedAt;
  note(services, state, { status: 'collecting' });
  await session.teardown();
  await collect(services, request, state.collector);
  const overheadMs = gapMs + services.time.nowMs() - startedAt - (state.drainedAt - connectAt);
  state.unsaved = { ...state.unsaved, overheadMs };
  return finish(services, state);
}

/**
 * Stores a change to the run. If that fails, the run continues and the change is stored with the next change.
 */
function note(services: RunServices, state: SessionState, change: SessionState['unsaved']): void {
  const { id } = state.request.run;
  state.unsaved = { ...state.unsaved, ...change };
  try {
    services.stores.runs.updateRun(id, state.unsaved);
    state.unsaved = {};
    services.live.publishRun(id);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const text = `${runCode(state.request.run)} continues, although its state cannot be stored: ${error.message} ${error.remedy}`;
    services.live.note('error', text, aboutRun(state.request.run));
  }
}

/** Computes metrics and verdicts of a run whose results are all stored, and marks the run as done. */
async function finish(services: RunServices, { request, unsaved }: SessionState): Promise<RunOutcome> {
  const { id } = request.run;
  const store = (): void => {
    finishRun(services.stores, id);
    services.stores.runs.updateRun(id, { ...unsaved, status: 'done', finishedAt: services.time.nowMs() });
  };
  try {
    await stored(services, request, store);
  } catch (error) {
    if (error instanceof StorageError) return { status: 'unsettled', ending: null, cause: error };
    throw error;
  }
  services.live.publishRun(id);
  return { status: 'done', failure: null, cleanedUp: true };
}

/** Stores data, waiting while the database cannot be written, and logs the wait. */
function stored(
  services: RunServices,
  { run, signal }: Pick<RunRequest, 'run' | 'signal'>,
  store: () => void,
): Promise<void> {
  const { storeTimeoutMs: timeoutMs = usualStoreTimeoutMs } = services;
  const onWaiting = (error: StorageError, sinceMs: number): void => {
    const since = sinceMs < 1000 ? '' : ` (${Math.round(sinceMs / 1000)} s so far)`;
    const cause = `${error.message} ${error.remedy}`;
    const text = `${runCode(run)} is waiting until the database can be written${since}: ${cause}`;
    services.live.note('error', text, aboutRun(run));
  };
  return storeWithRetries(store, { signal, timeoutMs, onWaiting });
}

async function collect(
  services: RunServices,
  request: RunRequest,
  collector: ResultCollector,
): Promise<void> {
  const { stores, storeTimeoutMs: unstoredMs = usualStoreTimeoutMs } = services;
  const { signal } = request;
  const missing = await collector.findMissing(resultTimeoutMs, { unstoredMs, signal });
  if (missing.length > 0) {
    signal.throwIfAborted();
    const names = request.participants
      .flatMap(({ deviceId, name }) => (missing.includes(deviceId) ? [name] : []))
      .join(', ');
    throw new Failure({
      code: 'results-missing',
      message: `The run was executed, but ${names} did not deliver its result within ${resultTimeoutMs / 1000} s.`,
      remedy: 'The device still has it; the run is corrected when the result arrives.',
    });
  }
  const results = stores.runs.listRoleResults(request.run.id);
  const failed = results.find(({ failure }) => failure !== null);
  if (failed?.failure) throw new Failure(failed.failure);
  if (results.some(({ files = [] }) => files.length > 0)) await fetchFiles(services, request);
}

/** Waits until captures have arrived, because transfers must not disturb the next run. */
async function fetchFiles({ agents }: RunServices, request: RunRequest): Promise<void> {
  const links = request.participants.map(({ deviceId }) => agents.findAgent(deviceId));
  await Promise.all(links.map((link) => link?.collectResults(filesTimeoutMs, request.signal)));
  request.signal.throwIfAborted();
}

function openSession(services: RunServices, { request, collector }: SessionState): TrialSession {
  const { run, spec, testbedId, participants, signal } = request;
  const about = aboutRun(run);
  return new TrialSession(services, {
    runId: run.id,
    attempt: run.attempt,
    testbedId,
    spec,
    participants,
    signal,
    onClocks: collector.setClocks,
    listener: {
      onPhase: (data) => services.live.publish({ event: 'phase', ...about, data }),
      onProgress: (data) => services.live.publish({ event: 'progress', ...about, data }),
      onLog(deviceId, line) {
        // Names the device if several devices share a role.
        const reporter = participants.find((one) => one.deviceId === deviceId && one.share !== null);
        services.live.log(reporter ? { ...line, source: reporter.name } : line, about);
      },
    },
  });
}

async function settle(
  services: RunServices,
  {
    request,
    error,
    cleanedUp,
  }: { request: Pick<RunRequest, 'run' | 'signal'>; error: unknown; cleanedUp: boolean },
): Promise<RunOutcome> {
  const { run } = request;
  const status = statusOf(request, error);
  const failure = toFailure(error);
  const ending = { status, failure, finishedAt: services.time.nowMs() };
  try {
    await stored(services, request, () => services.stores.runs.updateRun(run.id, ending));
  } catch (cause) {
    return { status: 'unsettled', ending, cause };
  }
  services.live.publishRun(run.id);
  const level = status === 'failed' ? 'error' : 'warn';
  services.live.note(level, `${runCode(run)} ${status}: ${failure.message}`, aboutRun(run));
  return { status, failure, cleanedUp };
}

/** Returns the status of a run that ended with this error. */
function statusOf(
  { signal }: Pick<RunRequest, 'signal'>,
  error: unknown,
): 'failed' | 'cancelled' | 'interrupted' {
  if (!signal.aborted || error !== signal.reason) return 'failed';
  return error instanceof Failure && error.code === 'cancelled' ? 'cancelled' : 'interrupted';
}

function aboutRun({ id, experimentId }: RunSummary) {
  return { experimentId, runId: id };
}
