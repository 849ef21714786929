import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { type Failure, type RunSummary, runCode } from '@mqttlab/shared/domain/runs/run';
import type { LiveBus } from '../base/ports.ts';
import type { Agents } from '../devices/agent-link.ts';
import type { RunEvents } from '../live/run-events.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { StorageError } from '../store/storage-error.ts';
import {
  outcomeOfStored,
  type ResultCollector,
  type ResultService,
  type SettlingDependencies,
  untilStored,
} from './results.ts';
import type { RunParticipant } from './run-devices.ts';
import { RunError, RunStop, toFailure, UnsettledRun } from './run-failures.ts';
import { type SessionDependencies, TrialSession } from './session.ts';

export interface RunnerDependencies extends SessionDependencies, SettlingDependencies {
  agents: Agents;
  results: ResultService;
  bus: Pick<LiveBus, 'publish'>;
  events: RunEvents;
  /** So long a Run that is through waits for a database that cannot be written, ms. */
  storeTimeoutMs?: number;
}

interface RunRequest {
  run: RunSummary;
  spec: TrialSpec;
  testbedId: string;
  participants: readonly RunParticipant[];
  /** Ends the Run at once; the reason is a RunStop. */
  signal: AbortSignal;
  /** When the Run before it on this testbed ended, Unix ms; null after a pause. */
  previousEndedAt: number | null;
}

export interface RunOutcome {
  status: 'done' | 'failed' | 'cancelled' | 'interrupted';
  failure: Failure | null;
  /** False when a device may still be busy with this Run. */
  cleanedUp: boolean;
}

const resultTimeoutMs = 20_000;
const partialResultTimeoutMs = 300;
/** Of a Run that was stopped when all its messages were through. */
const wholeResultTimeoutMs = 3_000;
const usualStoreTimeoutMs = 600_000;
const onlineTimeoutMs = 60_000;
const filesTimeoutMs = 120_000;

type Assignment = Pick<RunRequest, 'spec' | 'participants'>;

/**
 * Carries out one Run and settles it, whatever happens. `assign` returns what is measured by whom; an error that it
 * throws is the failure of the Run. Rejects with UnsettledRun only, when not even that can be stored.
 */
export async function carryOutRun(
  deps: RunnerDependencies,
  { assign, ...wish }: Omit<RunRequest, keyof Assignment> & { assign: () => Assignment },
): Promise<RunOutcome> {
  let assignment: Assignment;
  try {
    assignment = assign();
  } catch (error) {
    return settle(deps, { request: wish, error, cleanedUp: true });
  }
  return carryOutWith(deps, { ...wish, ...assignment });
}

async function carryOutWith(deps: RunnerDependencies, request: RunRequest): Promise<RunOutcome> {
  const { run } = request;
  const deviceIds = request.participants.map(({ deviceId }) => deviceId);
  const collector = deps.results.open(run.id, deviceIds);
  const startedAt = deps.nowMs();
  try {
    await stored(deps, request, () => {
      deps.runs.saveDevices(run.id, request.participants);
      deps.runs.update(run.id, { status: 'preparing', startedAt });
    });
    deps.events.run(run.id);
    await deps.agents.whenOnline(deviceIds, { timeoutMs: onlineTimeoutMs, signal: request.signal });
    request.signal.throwIfAborted();
    return await inSession(deps, { request, collector, startedAt, unsaved: {}, drainedAt: null });
  } catch (error) {
    if (error instanceof UnsettledRun) throw error;
    return await settle(deps, { request, error, cleanedUp: true });
  } finally {
    collector.close();
  }
}

interface SessionState {
  request: RunRequest;
  collector: ResultCollector;
  startedAt: number;
  /** What became of the Run and could not be stored yet. */
  unsaved: Parameters<RunStore['update']>[1];
  /** When every message was through; null before. */
  drainedAt: number | null;
}

async function inSession(deps: RunnerDependencies, state: SessionState): Promise<RunOutcome> {
  const { request, collector } = state;
  const session = openSession(deps, state);
  try {
    return await measure(deps, session, state);
  } catch (error) {
    if (error instanceof UnsettledRun) throw error;
    const { message, remedy } = toFailure(error);
    const isWhole = state.drainedAt !== null && !(error instanceof RunStop && error.status === 'cancelled');
    const cleanedUp = isWhole ? await session.conclude(message) : await session.abort(message);
    // What the devices have to say about a Run that failed is worth keeping.
    await collector.wait(isWhole ? wholeResultTimeoutMs : partialResultTimeoutMs).catch(() => {});
    if (isWhole && outcomeOfStored(deps.runs, request.run.id)?.failure === null) {
      const text = `Every result of ${runCode(request.run)} arrived, although something failed: ${message} ${remedy}`;
      deps.events.note('warn', text, aboutRun(request.run));
      return finish(deps, state);
    }
    return await settle(deps, { request, error, cleanedUp });
  } finally {
    session.close();
  }
}

async function measure(
  deps: RunnerDependencies,
  session: TrialSession,
  state: SessionState,
): Promise<RunOutcome> {
  await session.prepare();
  const connectAt = deps.nowMs();
  await session.connect();
  await session.load((measuredAt) => note(deps, state, { status: 'running', measuredAt }));
  await session.drain();
  state.drainedAt = deps.nowMs();
  const { request, startedAt } = state;
  const gapMs = request.previousEndedAt === null ? 0 : startedAt - request.previousEndedAt;
  note(deps, state, { status: 'collecting' });
  await session.teardown();
  await collect(deps, request, state.collector);
  const overheadMs = gapMs + deps.nowMs() - startedAt - (state.drainedAt - connectAt);
  state.unsaved = { ...state.unsaved, overheadMs };
  return finish(deps, state);
}

/** Measuring goes on where a step of it cannot be stored: it is stored with the next, or at the end. */
function note(deps: RunnerDependencies, state: SessionState, change: SessionState['unsaved']): void {
  const { id } = state.request.run;
  state.unsaved = { ...state.unsaved, ...change };
  try {
    deps.runs.update(id, state.unsaved);
    state.unsaved = {};
    deps.events.run(id);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const text = `${runCode(state.request.run)} goes on although its state cannot be stored: ${error.message} ${error.remedy}`;
    deps.events.note('error', text, aboutRun(state.request.run));
  }
}

/** Every result is stored: the Run is done. */
async function finish(deps: RunnerDependencies, { request, unsaved }: SessionState): Promise<RunOutcome> {
  const { id } = request.run;
  const store = (): void => {
    deps.finishRun(id);
    deps.runs.update(id, { ...unsaved, status: 'done', finishedAt: deps.nowMs() });
  };
  await stored(deps, request, store).catch((error: unknown) => {
    throw error instanceof StorageError ? new UnsettledRun(null, error) : error;
  });
  deps.events.run(id);
  return { status: 'done', failure: null, cleanedUp: true };
}

/** Waits while the database cannot be written, and says so. */
function stored(
  deps: RunnerDependencies,
  { run, signal }: Pick<RunRequest, 'run' | 'signal'>,
  store: () => void,
): Promise<void> {
  const { storeTimeoutMs: timeoutMs = usualStoreTimeoutMs } = deps;
  const onWaiting = (error: StorageError, sinceMs: number): void => {
    const since = sinceMs < 1000 ? '' : ` for ${Math.round(sinceMs / 1000)} s`;
    const text = `${runCode(run)} waits${since} until the database can be written: ${error.message} ${error.remedy}`;
    deps.events.note('error', text, aboutRun(run));
  };
  return untilStored(store, { signal, timeoutMs, onWaiting });
}

async function collect(
  deps: RunnerDependencies,
  request: RunRequest,
  collector: ResultCollector,
): Promise<void> {
  const { runs, storeTimeoutMs = usualStoreTimeoutMs } = deps;
  const waited = collector.wait(resultTimeoutMs, storeTimeoutMs);
  const missing = await Promise.race([waited, whenStopped(request.signal)]);
  if (missing.length > 0) {
    const names = request.participants
      .flatMap(({ deviceId, name }) => (missing.includes(deviceId) ? [name] : []))
      .join(', ');
    throw new RunError({
      code: 'results-missing',
      message: `The run was carried out, but ${names} did not deliver its result within ${resultTimeoutMs / 1000} s.`,
      remedy: 'The device keeps it; the run is corrected as soon as it arrives.',
    });
  }
  const results = runs.results(request.run.id);
  const failed = results.find(({ failure }) => failure !== null);
  if (failed?.failure) throw new RunError(failed.failure);
  if (results.some(({ files = [] }) => files.length > 0)) await fetchFiles(deps, request);
}

/** Captures are on their way before the next Run is measured, and the page of this one has them. */
async function fetchFiles({ agents }: RunnerDependencies, request: RunRequest): Promise<void> {
  const links = request.participants.map(({ deviceId }) => agents.find(deviceId));
  const fetched = Promise.all(links.map((link) => link?.whenDelivered(filesTimeoutMs)));
  await Promise.race([fetched, whenStopped(request.signal)]);
}

/** Never resolves; rejects with the reason. */
function whenStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function openSession(deps: RunnerDependencies, { request, collector }: SessionState): TrialSession {
  const { run, spec, testbedId, participants, signal } = request;
  const about = aboutRun(run);
  return new TrialSession(deps, {
    runId: run.id,
    attempt: run.attempt,
    testbedId,
    spec,
    participants,
    signal,
    onClocks: collector.setClocks,
    listener: {
      onPhase: (data) => deps.bus.publish({ event: 'phase', ...about, data }),
      onProgress: (data) => deps.bus.publish({ event: 'progress', ...about, data }),
      onLog(deviceId, line) {
        // Of several in a role, which one says so.
        const speaker = participants.find((one) => one.deviceId === deviceId && one.share !== null);
        deps.events.log(speaker ? { ...line, source: speaker.name } : line, about);
      },
    },
  });
}

async function settle(
  deps: RunnerDependencies,
  {
    request,
    error,
    cleanedUp,
  }: { request: Pick<RunRequest, 'run' | 'signal'>; error: unknown; cleanedUp: boolean },
): Promise<RunOutcome> {
  const { run } = request;
  const status: RunOutcome['status'] = error instanceof RunStop ? error.status : 'failed';
  const failure = toFailure(error);
  const ending = { status, failure, finishedAt: deps.nowMs() };
  await stored(deps, request, () => deps.runs.update(run.id, ending)).catch((cause: unknown) => {
    throw new UnsettledRun(ending, cause);
  });
  deps.events.run(run.id);
  const level = status === 'failed' ? 'error' : 'warn';
  deps.events.note(level, `${runCode(run)} ${status}: ${failure.message}`, aboutRun(run));
  return { status, failure, cleanedUp };
}

function aboutRun({ id, experimentId }: RunSummary) {
  return { experimentId, runId: id };
}
