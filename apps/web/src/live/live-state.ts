import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { ExperimentStatus } from '@mqttlab/shared/domain/runs/statuses';
import type { Progress } from '@mqttlab/shared/messages/agent';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type {
  CurrentRun,
  LiveEvent,
  LiveSnapshot,
  PhaseNow,
  StorageFailure,
} from '@mqttlab/shared/messages/live';
import type {
  ConnectionStatus,
  RunningExperiment,
  TestbedStatus as TestbedCell,
} from '../ui/shell/shell-status.tsx';
import { timeLeftAt } from './time-left.ts';

export interface LiveLogEntry {
  /** Increases by one for each entry; used as a stable React key. */
  sequence: number;
  experimentId: number | null;
  runId: number | null;
  line: LogLine;
}

/** State received over the live channel. It is immutable, so every event returns a new object. */
export interface LiveState {
  connection: ConnectionStatus;
  /** False until the first snapshot. */
  ready: boolean;
  /** Id of the last event; null if the next event may have any id. */
  lastId: number | null;
  /** Offset from Date.now() to the server's time, in ms. */
  clockOffsetMs: number;
  /** Experiments that are queued, running or paused. */
  active: readonly ExperimentSummary[];
  /** When `timeLeftMs` of each active experiment was reported, by experiment id, in ms of server time. */
  reportedAt: Readonly<Record<number, number>>;
  testbeds: readonly TestbedStatus[];
  /** The latest run of each experiment. A finished run stays until the next run starts. */
  current: readonly CurrentRun[];
  /** Why the server cannot store data now; null if it can. */
  storage: StorageFailure | null;
  /** Newest last. */
  log: readonly LiveLogEntry[];
  nextSequence: number;
}

const activeStatuses: readonly ExperimentStatus[] = ['queued', 'running', 'pausing', 'paused', 'stopping'];
const logLimit = 500;
/** Frames stored for each device: one hour at one frame per second. */
const progressLimit = 3600;

export const initialLiveState: LiveState = {
  connection: { state: 'connecting' },
  ready: false,
  lastId: null,
  clockOffsetMs: 0,
  active: [],
  reportedAt: {},
  testbeds: [],
  current: [],
  storage: null,
  log: [],
  nextSequence: 0,
};

/** Compares an event with the last one. After a gap, a new snapshot is required. */
export function placeOf(
  state: LiveState,
  event: { event: string; id: number },
): 'next' | 'duplicate' | 'gap' {
  if (event.event === 'snapshot') return 'next';
  if (!state.ready) return 'gap';
  if (state.lastId === null || event.id === state.lastId + 1) return 'next';
  return event.id <= state.lastId ? 'duplicate' : 'gap';
}

/** Applies one event. Ignores duplicates and events after a gap. `nowMs` is this machine's time. */
export function reduceLive(state: LiveState, event: LiveEvent, nowMs: number): LiveState {
  if (placeOf(state, event) !== 'next') return state;
  const offset = event.at - nowMs;
  const moved: LiveState = {
    ...state,
    lastId: event.event === 'snapshot' && event.id === 0 ? null : event.id,
    // The least delayed event is the most accurate, because delay only makes the offset smaller.
    clockOffsetMs: event.event === 'snapshot' ? offset : Math.max(state.clockOffsetMs, offset),
  };
  return apply(moved, event);
}

function apply(state: LiveState, event: LiveEvent): LiveState {
  switch (event.event) {
    case 'snapshot':
      return fromSnapshot(state, event.data, event.at);
    case 'experiment':
      return withExperiment(state, event.data, event.at);
    case 'run':
      return { ...state, current: withRun(state.current, event.data) };
    case 'phase':
      return { ...state, current: patchRun(state.current, event.runId, (run) => withPhase(run, event.data)) };
    case 'progress':
      return {
        ...state,
        current: patchRun(state.current, event.runId, (run) => withProgress(run, event.data)),
      };
    case 'log':
      return withLog(state, [{ experimentId: event.experimentId, runId: event.runId, line: event.data }]);
    case 'testbed':
      return { ...state, testbeds: upsert(state.testbeds, event.data, (item) => item.testbedId) };
    case 'storage':
      return { ...state, storage: event.data };
  }
}

function fromSnapshot(state: LiveState, snapshot: LiveSnapshot, at: number): LiveState {
  const reported = Object.fromEntries(snapshot.active.map((experiment) => [experiment.id, at]));
  const { active, testbeds, current, storage } = snapshot;
  const fresh = { active, testbeds, current, storage, reportedAt: reported, log: [] };
  return withLog({ ...state, ready: true, ...fresh }, snapshot.log);
}

function withExperiment(state: LiveState, experiment: ExperimentSummary, at: number): LiveState {
  const isActive = activeStatuses.includes(experiment.status) && experiment.deletedAt === null;
  const active = isActive
    ? upsert(state.active, experiment, (item) => item.id)
    : state.active.filter((item) => item.id !== experiment.id);
  return { ...state, active, reportedAt: { ...state.reportedAt, [experiment.id]: at } };
}

/** Replaces the earlier run of the experiment. Ignores an older run that finishes late. */
function withRun(current: readonly CurrentRun[], run: RunSummary): readonly CurrentRun[] {
  const shown = current.find((item) => item.run.experimentId === run.experimentId);
  if (shown && shown.run.id > run.id) return current;
  if (shown?.run.id === run.id) return patchRun(current, run.id, (old) => ({ ...old, run }));
  return upsert(current, { run, phases: [], progress: [] }, (item) => item.run.experimentId);
}

function patchRun(
  current: readonly CurrentRun[],
  runId: number | null,
  change: (run: CurrentRun) => CurrentRun,
): readonly CurrentRun[] {
  return current.map((item) => (item.run.id === runId ? change(item) : item));
}

function withPhase(run: CurrentRun, phase: PhaseNow): CurrentRun {
  return { ...run, phases: [...upsert(run.phases, phase, (item) => `${keyOf(item)} ${item.phase}`)] };
}

/** Stores the frames of each device in time order, without duplicates. */
function withProgress(run: CurrentRun, frame: Progress): CurrentRun {
  const key = keyOf(frame);
  const later = run.progress.findLast((item) => keyOf(item) === key);
  if (later && later.atMs >= frame.atMs) return run;
  const own = run.progress.filter((item) => keyOf(item) === key).length;
  const drop = own >= progressLimit ? run.progress.findIndex((item) => keyOf(item) === key) : -1;
  return { ...run, progress: [...run.progress.filter((_, i) => i !== drop), frame] };
}

/** Identifies a device by role and id, because several devices may play one role. */
function keyOf({ role, deviceId }: Pick<Progress, 'role' | 'deviceId'>): string {
  return `${role} ${deviceId ?? ''}`;
}

function withLog(state: LiveState, lines: readonly Omit<LiveLogEntry, 'sequence'>[]): LiveState {
  const added = lines.map((entry, i) => ({ ...entry, sequence: state.nextSequence + i }));
  return {
    ...state,
    log: [...state.log, ...added].slice(-logLimit),
    nextSequence: state.nextSequence + lines.length,
  };
}

function upsert<T>(items: readonly T[], item: T, keyOf: (item: T) => string | number): T[] {
  const key = keyOf(item);
  return items.some((old) => keyOf(old) === key)
    ? items.map((old) => (keyOf(old) === key ? item : old))
    : [...items, item];
}

/**
 * Returns the experiment that is running on a testbed, for the top bar; undefined before the first snapshot.
 * `nowMs` is server time.
 */
export function runningCellOf(
  state: Pick<LiveState, 'ready' | 'active' | 'reportedAt'>,
  nowMs: number,
): RunningExperiment | null | undefined {
  if (!state.ready) return undefined;
  const experiment = state.active.find((item) => item.status !== 'queued');
  if (!experiment) return null;
  return {
    code: `E-${experiment.id}`,
    href: `/experiments/${experiment.id}`,
    state: experiment.status === 'paused' ? 'paused' : 'running',
    doneTrials: experiment.progress.done,
    totalTrials: experiment.progress.trials,
    leftMs: timeLeftAt(experiment, state.reportedAt[experiment.id], nowMs)?.leftMs ?? null,
  };
}

/** Returns the testbed in use, or the first one if none is in use. */
export function testbedCellOf(state: Pick<LiveState, 'ready' | 'testbeds'>): TestbedCell | null | undefined {
  if (!state.ready) return undefined;
  const testbed = state.testbeds.find((item) => item.busyWith !== null) ?? state.testbeds[0];
  if (!testbed) return null;
  const { name, busyWith, devices } = testbed;
  const started = devices.filter(({ standby }) => !standby);
  const online = started.filter((device) => device.online).length;
  return {
    name,
    isInUse: busyWith !== null,
    online,
    onStandby: devices.length - started.length,
    off: started.length - online,
    href: '/devices',
  };
}
