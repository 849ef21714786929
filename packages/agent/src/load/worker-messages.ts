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

/** The part of a progress frame from the load worker; CPU and memory are added by the supervisor. */
export type LoadProgress = Omit<Progress, 'cpuPercent' | 'deviceCpuPercent' | 'residentBytes'>;

/** The part of a result from the load worker. */
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
  /** For the environment of the result, for example how the workload ended. */
  facts: RoleResult['environment'];
  /** Series that the load sampled. */
  series?: RoleResult['series'];
  /** Of a bridge. */
  upstream?: RoleResult['upstream'];
  bridge?: RoleResult['bridge'];
  brokerStatus?: RoleResult['brokerStatus'];
};

/** Result of a load without figures. */
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
 * `folder`: of the run, if there is one. `recordsFolder`: of the agent's children, for programs that the worker starts.
 * `localAddress`: of the link, to bind every socket to. `keyLogPath`: file for the keys of its TLS connections.
 */
export type PrepareBridgeWorker = PrepareBridge & { folder?: string; localAddress?: string };
export type PrepareWorker = PrepareClient & {
  folder?: string;
  recordsFolder?: string;
  localAddress?: string;
  keyLogPath?: string;
};

/** Payload and answer of each request. */
export interface LoadRequests {
  prepare: { command: PrepareWorker | PrepareBridgeWorker; answer: null };
  /** Includes the processes that carry the load; null: the worker. */
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
  /** Counts of a bridge, many times a second, so that they survive if it is killed. */
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
  /** Since the previous snapshot; null without latencies. */
  latencyMs: { p5: number; p50: number; p95: number } | null;
  /** Metrics over the connections so far, by id. */
  soFar?: Record<string, number>;
}

export interface LoadDriverOptions {
  command: PrepareClient;
  /** Folder of the run, for files that other programs read; null if there is none. */
  folder: string | null;
  /** Folder of the agent's children, for started programs; absent: a folder inside `folder`. */
  recordsFolder?: string | undefined;
  /** How this agent is started, for bundled clients. */
  entry: ProgramEntry;
  clock: MicrosecondClock;
  onPhase: (phase: Phase, durationUs: number | null) => void;
  onFailure: (failure: RoleFailure) => void;
  /** False only for runs in which a cold start cannot distort a measurement. */
  rehearses: boolean;
}

/** One role of one run with one client engine. The worker ensures the order of the calls. */
export interface LoadDriver {
  readonly role: PrepareClient['role'] | 'bridge';
  /** Processes that carry the load, known after `connect`; null: this process. */
  readonly processes: readonly number[] | null;
  /** Rejects with Failure, as does `connect`. */
  prepare(): Promise<void>;
  connect(): Promise<Connected>;
  start(at: StartLoad): void;
  drain(expected: number | null): Promise<Drained>;
  /** null before start and after finish. */
  progress(): (LoadSnapshot & { atMs: number }) | null;
  /** Latency since the previous bucket; absent: it measures none. */
  cutBucket?(): LoadSnapshot['latencyMs'];
  /** Counts that survive if this process dies; absent: none do. */
  tally?(): BridgeTally | null;
  /** null if they cannot be counted. */
  wireBytes(): WireBytes | null;
  /** Never rejects. */
  finish(): Promise<LoadResult>;
}
