import type { BridgeCounters } from '@mqttlab/shared/domain/runs/bridge-counters';
import type { Counters, LogLine, RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import type {
  Connected,
  Drained,
  PrepareBridge,
  PrepareClient,
  Progress,
  StartLoad,
} from '@mqttlab/shared/messages/agent';
import type { ProgramEntry } from '../brokers/broker.ts';
import type { WireBytes } from '../mqtt/connection-source.ts';
import type { MicrosecondClock } from './pacing/clock.ts';

/** The part of a progress frame from the load worker; the supervisor adds CPU and memory. */
export type LoadProgress = Omit<Progress, 'cpuPercent' | 'deviceCpuPercent' | 'residentBytes'>;

/** The part of a result that the load worker provides. */
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
  /** Facts for the environment in the result, for example how the workload ended. */
  facts: RoleResult['environment'];
  /** Series that the load sampled. */
  series?: RoleResult['series'];
  /** Of a bridge. */
  upstream?: RoleResult['upstream'];
  bridge?: RoleResult['bridge'];
  brokerStatus?: RoleResult['brokerStatus'];
};

/** Result of a load that measured nothing. */
export const emptyLoadResult: LoadResult = {
  phases: [],
  negotiated: null,
  localPorts: [],
  counters: null,
  throughput: null,
  latency: null,
  lateness: null,
  histograms: {},
  states: [],
  randomness: [],
  facts: {},
  degraded: [],
};

/**
 * `folder` is the run's folder, if there is one. `recordsFolder` contains the records of the agent's
 * children, for programs that the worker starts. `localAddress` is the address of the link to which every
 * socket is bound. `keyLogPath` is the file for the keys of its TLS connections.
 */
export type PrepareBridgeWorker = PrepareBridge & { folder?: string; localAddress?: string };
export type PrepareWorker = PrepareClient & {
  folder?: string;
  recordsFolder?: string;
  localAddress?: string;
  keyLogPath?: string;
};

/** Payload and response of each request. */
export interface LoadRequests {
  prepare: { command: PrepareWorker | PrepareBridgeWorker; answer: null };
  /** Includes the processes that carry the load; null if the worker itself carries it. */
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
  /** Counts of a bridge, sent many times a second so that they survive if the process is killed. */
  | { type: 'tally'; tally: BridgeTally }
  | { type: 'phase'; phase: Phase; durationUs: number | null }
  | { type: 'progress'; progress: LoadProgress }
  | { type: 'trouble'; failure: RoleFailure }
  | { type: 'log'; level: LogLine['level']; text: string };

export interface LoadSnapshot {
  /** Measured so far. */
  messages: number;
  /** Including warm-up. */
  all: number;
  late: number;
  /** Values since the previous snapshot; null without latencies. */
  latencyMs: { p5: number; p50: number; p95: number } | null;
  /** Metrics over all connections so far, by id. */
  soFar?: Record<string, number>;
}

export interface LoadDriverOptions {
  command: PrepareClient;
  /** Run folder for files that other programs read; null if there is none. */
  folder: string | null;
  /**
   * Folder for records of the agent's children, for started programs; if absent, a folder inside `folder`.
   */
  recordsFolder?: string | undefined;
  /** Command that starts this agent, for bundled clients. */
  entry: ProgramEntry;
  clock: MicrosecondClock;
  onPhase: (phase: Phase, durationUs: number | null) => void;
  onFailure: (failure: RoleFailure) => void;
  /** False only for runs in which a cold start cannot distort a measurement. */
  rehearses: boolean;
}

/** One role in one run with one client engine. The worker ensures the order of the calls. */
export interface LoadDriver {
  readonly role: PrepareClient['role'] | 'bridge';
  /** Processes that carry the load, known after `connect`; null for this process. */
  readonly processes: readonly number[] | null;
  /** Prepares the load. Rejects with Failure, as does `connect`. */
  prepare(): Promise<void>;
  connect(): Promise<Connected>;
  start(at: StartLoad): void;
  drain(expected: number | null): Promise<Drained>;
  /** null before start and after finish. */
  progress(): (LoadSnapshot & { atMs: number }) | null;
  /** Latency since the previous bucket; absent if the load measures no latency. */
  cutBucket?(): LoadSnapshot['latencyMs'];
  /** Counts that survive if this process dies; absent if there are none. */
  tally?(): BridgeTally | null;
  /** null if they cannot be counted. */
  wireBytes(): WireBytes | null;
  /** Never rejects. */
  finish(): Promise<LoadResult>;
}
