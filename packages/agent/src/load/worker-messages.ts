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
  brokerStatus?: RoleResult['brokerStatus'];
};

/** Of a load that has nothing to say. */
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
 * `folder`: the Run's own, where there is one; `recordsFolder`: of the agent's children, for programs that the worker
 * starts; `localAddress`: of the link, for every socket to be bound to; `keyLogPath`: where the keys of
 * its TLS connections go.
 */
export type PrepareBridgeWorker = PrepareBridge & { folder?: string; localAddress?: string };
export type PrepareWorker = PrepareClient & {
  folder?: string;
  recordsFolder?: string;
  localAddress?: string;
  keyLogPath?: string;
};

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

export interface LoadSnapshot {
  /** Measured so far. */
  messages: number;
  /** Including warm-up. */
  all: number;
  late: number;
  /** Since the snapshot before; null without latencies. */
  latencyMs: { p5: number; p50: number; p95: number } | null;
  /** Metrics over the connections so far, by id. */
  soFar?: Record<string, number>;
}

export interface LoadDriverOptions {
  command: PrepareClient;
  /** The Run's own, for files that other programs read; null where there is none. */
  folder: string | null;
  /** Of the agent's children, for programs that are started; absent: a folder inside `folder`. */
  recordsFolder?: string | undefined;
  /** How this agent is started, for clients that come with it. */
  entry: ProgramEntry;
  clock: MicrosecondClock;
  onPhase: (phase: Phase, durationUs: number | null) => void;
  onTrouble: (failure: RoleFailure) => void;
  /** False only where nothing is measured that a cold start would distort. */
  rehearses: boolean;
}

/** One role of one Run by one client engine. The worker sees to the order of the calls. */
export interface LoadDriver {
  readonly role: PrepareClient['role'] | 'bridge';
  /** Processes that carry the load, known after `connect`; null: this one. */
  readonly processes: readonly number[] | null;
  /** Rejects with Failure, as `connect`. */
  prepare(): Promise<void>;
  connect(): Promise<Connected>;
  start(at: StartLoad): void;
  drain(expected: number | null): Promise<Drained>;
  /** null before start and after finish. */
  progress(): (LoadSnapshot & { atMs: number }) | null;
  /** Latency since the bucket before; absent: it times nothing. */
  cutBucket?(): LoadSnapshot['latencyMs'];
  /** What counts even if this process dies at once; absent: nothing does. */
  tally?(): BridgeTally | null;
  /** null where they cannot be counted. */
  wireBytes(): WireBytes | null;
  /** Never rejects. */
  finish(): Promise<LoadResult>;
}
