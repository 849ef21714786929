import type { Phase } from '@mqttlab/shared/domain/runs/phase';
import type {
  BridgeCounters,
  Counters,
  LogLine,
  RoleFailure,
  RoleResult,
} from '@mqttlab/shared/domain/runs/role-result';
import type {
  Connected,
  Drained,
  PrepareBridge,
  PrepareClient,
  Progress,
  StartLoad,
} from '@mqttlab/shared/messages/agent';

/** The part of a progress frame that the load worker knows; CPU and memory are the supervisor's. */
export type LoadProgress = Omit<Progress, 'cpuPercent' | 'deviceCpuPercent' | 'residentBytes'>;

/** The part of a result that the load worker knows. */
export type LoadResult = Pick<
  RoleResult,
  | 'phases'
  | 'negotiated'
  | 'localPorts'
  | 'counters'
  | 'throughput'
  | 'latency'
  | 'lateness'
  | 'histograms'
  | 'states'
  | 'randomness'
  | 'degraded'
> & {
  /** For the environment of the result: how the workload ended, say. */
  facts: RoleResult['environment'];
  /** What the load itself sampled. */
  series?: RoleResult['series'];
  /** Of a bridge. */
  upstream?: RoleResult['upstream'];
  bridge?: RoleResult['bridge'];
};

/** `folder`: the Run's own, where there is one; `localAddress`: of the link, for every socket to be bound to. */
export type PrepareBridgeWorker = PrepareBridge & { folder?: string; localAddress?: string };
export type PrepareWorker = PrepareClient & { folder?: string; localAddress?: string };

/** What each request carries and what it is answered with. */
export interface LoadRequests {
  prepare: { command: PrepareWorker | PrepareBridgeWorker; answer: null };
  /** With the processes that carry the load; null: the worker. */
  connect: { command: null; answer: Connected & { processes: readonly number[] | null } };
  start: { command: StartLoad; answer: null };
  drain: { command: { expected: number | null }; answer: Drained };
  finish: { command: null; answer: LoadResult };
}

export type LoadRequestKind = keyof LoadRequests;

/** Supervisor to worker. */
export type LoadRequest = {
  [Kind in LoadRequestKind]: { id: number; kind: Kind; command: LoadRequests[Kind]['command'] };
}[LoadRequestKind];

export interface BridgeTally {
  bridge: BridgeCounters;
  counters: Counters;
}

export type LoadAnswer =
  | { type: 'answer'; id: number; ok: true; data: LoadRequests[LoadRequestKind]['answer'] }
  | { type: 'answer'; id: number; ok: false; failure: RoleFailure };

/** Worker to supervisor. */
export type LoadMessage =
  | { type: 'ready' }
  | LoadAnswer
  /** Of a bridge, many times a second: what it counted lives on when it is killed. */
  | { type: 'tally'; tally: BridgeTally }
  | { type: 'phase'; phase: Phase; durationUs: number | null }
  | { type: 'progress'; progress: LoadProgress }
  | { type: 'trouble'; failure: RoleFailure }
  | { type: 'log'; level: LogLine['level']; text: string };
