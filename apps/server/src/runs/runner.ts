import { setTimeout as wait } from 'node:timers/promises';
import type { Failure, RunSummary } from '@mqttlab/shared/domain/run';
import type { TrialSpec } from '@mqttlab/shared/domain/trial-spec';
import type { LiveBus, RunStore } from '../ports.ts';
import type { Agents } from '../testbed/agent-link.ts';
import type { RunParticipant } from './participants.ts';
import type { ResultDesk, ResultTray } from './result-desk.ts';
import type { Teller } from './tell.ts';
import { RunError, toFailure } from './to-failure.ts';
import { type SessionDependencies, TrialSession } from './trial-session.ts';

export interface RunnerDependencies extends SessionDependencies {
  agents: Agents;
  runs: RunStore;
  desk: ResultDesk;
  bus: Pick<LiveBus, 'publish'>;
  tell: Teller;
  /** Turns the stored results of a Run into metrics and verdicts. */
  finishRun: (runId: number) => void;
  nowMs: () => number;
}

export interface RunRequest {
  run: RunSummary;
  spec: TrialSpec;
  testbedId: string;
  participants: readonly RunParticipant[];
  /** Ends the Run at once; the reason is a RunStop. */
  signal: AbortSignal;
  /** When the Run before it on this testbed ended, Unix ms; null after a pause. */
  previousEndedAt: number | null;
}

/** Why a Run is ended from outside. */
export class RunStop extends Error {
  readonly status: 'cancelled' | 'interrupted';

  constructor(status: RunStop['status'], message: string) {
    super(message);
    this.name = 'RunStop';
    this.status = status;
  }
}

export interface RunOutcome {
  status: 'done' | 'failed' | 'cancelled' | 'interrupted';
  failure: Failure | null;
  /** False when a device may still be busy with this Run. */
  cleanedUp: boolean;
}

const resultTimeoutMs = 20_000;
const partialResultTimeoutMs = 300;
const onlineTimeoutMs = 60_000;

/**
 * Carries out one Run and settles it, whatever happens. Rejects with StorageError only, when not even that can be
 * stored.
 */
export async function carryOutRun(deps: RunnerDependencies, request: RunRequest): Promise<RunOutcome> {
  const { run } = request;
  const tray = deps.desk.open(
    run.id,
    request.participants.map(({ deviceId }) => deviceId),
  );
  const startedAt = deps.nowMs();
  try {
    deps.runs.saveDevices(run.id, request.participants);
    deps.runs.update(run.id, { status: 'preparing', startedAt });
    deps.tell.run(run.id);
    await waitForDevices(deps, request);
    return await inSession(deps, { request, tray, startedAt });
  } catch (error) {
    return await settle(deps, { request, error, cleanedUp: true });
  } finally {
    tray.close();
  }
}

async function waitForDevices({ agents }: RunnerDependencies, request: RunRequest): Promise<void> {
  const { participants, signal } = request;
  const deviceIds = participants.map(({ deviceId }) => deviceId);
  await agents.whenOnline(deviceIds, { timeoutMs: onlineTimeoutMs, signal });
  signal.throwIfAborted();
}

interface SessionState {
  request: RunRequest;
  tray: ResultTray;
  startedAt: number;
}

async function inSession(deps: RunnerDependencies, state: SessionState): Promise<RunOutcome> {
  const { request, tray } = state;
  const session = openSession(deps, state);
  try {
    return await measure(deps, session, state);
  } catch (error) {
    const { message } = error instanceof RunStop ? error : toFailure(error);
    const cleanedUp = await session.abort(message);
    // What the devices have to say about a Run that failed is worth keeping.
    await tray.wait(partialResultTimeoutMs).catch(() => {});
    return await settle(deps, { request, error, cleanedUp });
  } finally {
    session.close();
  }
}

async function measure(
  deps: RunnerDependencies,
  session: TrialSession,
  { request, tray, startedAt }: SessionState,
): Promise<RunOutcome> {
  const { runs, tell, nowMs } = deps;
  const { id } = request.run;
  await session.prepare();
  const connectAt = nowMs();
  await session.connect();
  await session.load((measuredAt) => {
    runs.update(id, { status: 'running', measuredAt });
    tell.run(id);
  });
  await session.drain();
  const drainedAt = nowMs();
  runs.update(id, { status: 'collecting' });
  tell.run(id);
  await session.teardown();
  await collect(deps, request, tray);
  deps.finishRun(id);
  const finishedAt = nowMs();
  const gapMs = request.previousEndedAt === null ? 0 : startedAt - request.previousEndedAt;
  const overheadMs = gapMs + finishedAt - startedAt - (drainedAt - connectAt);
  runs.update(id, { status: 'done', finishedAt, overheadMs });
  tell.run(id);
  return { status: 'done', failure: null, cleanedUp: true };
}

async function collect({ runs }: RunnerDependencies, request: RunRequest, tray: ResultTray): Promise<void> {
  const missing = await Promise.race([tray.wait(resultTimeoutMs), whenStopped(request.signal)]);
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
  const failed = runs.results(request.run.id).find(({ failure }) => failure !== null);
  if (failed?.failure) throw new RunError(failed.failure);
}

/** Never resolves; rejects with the reason. */
function whenStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function openSession(deps: RunnerDependencies, { request, tray }: SessionState): TrialSession {
  const { run, spec, testbedId, participants, signal } = request;
  const { experimentId, id: runId } = run;
  const about = { experimentId, runId };
  return new TrialSession(deps, {
    runId,
    testbedId,
    spec,
    participants,
    signal,
    onClocks: tray.setClocks,
    listener: {
      onPhase: (data) => deps.bus.publish({ event: 'phase', ...about, data }),
      onProgress: (data) => deps.bus.publish({ event: 'progress', ...about, data }),
      onLog(deviceId, line) {
        // Of several in a role, which one says so.
        const speaker = participants.find((one) => one.deviceId === deviceId && one.share !== null);
        deps.tell.log({ ...about, line: speaker ? { ...line, source: speaker.name } : line });
      },
    },
  });
}

interface Settlement {
  request: RunRequest;
  error: unknown;
  cleanedUp: boolean;
}

async function settle(deps: RunnerDependencies, settlement: Settlement): Promise<RunOutcome> {
  const { request, error, cleanedUp } = settlement;
  const { id: runId, experimentId } = request.run;
  const status = error instanceof RunStop ? error.status : 'failed';
  const failure = error instanceof RunStop ? stopFailure(error) : toFailure(error);
  const finishedAt = deps.nowMs();
  await untilStored(() => deps.runs.update(runId, { status, failure, finishedAt }), request.signal);
  deps.tell.run(runId);
  const text = `Run ${runId} ${status}: ${failure.message}`;
  const level = status === 'failed' ? 'error' : 'warn';
  deps.tell.log({ experimentId, runId, line: { at: finishedAt, level, source: 'server', text } });
  return { status, failure, cleanedUp };
}

function stopFailure({ status, message }: RunStop): Failure {
  if (status === 'cancelled') return { code: status, message, remedy: 'Retry it when it is needed.' };
  return { code: 'server-stopped', message, remedy: 'The trial is run again when the server is started.' };
}

const storeEveryMs = 500;
const triesWhenStopped = 4;

/** On a full disk nothing can go on: waits for room. Rejects with the StorageError when the Run is stopped meanwhile. */
async function untilStored(store: () => void, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      store();
      return;
    } catch (error) {
      if (signal.aborted && attempt >= triesWhenStopped) throw error;
      await wait(storeEveryMs);
    }
  }
}
