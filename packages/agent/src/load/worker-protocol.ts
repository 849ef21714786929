import type { Phase } from '@mqttlab/shared/domain/phase';
import type { LogLine, RoleFailure, RoleResult } from '@mqttlab/shared/domain/role-result';
import type { Connected, Drained, PrepareClient, Progress, StartLoad } from '@mqttlab/shared/protocol/agent';

/** The part of a progress frame that the load worker knows; CPU and memory are the supervisor's. */
export type LoadProgress = Omit<Progress, 'cpuPercent' | 'deviceCpuPercent' | 'residentBytes'>;

/** The part of a result that the load worker knows. */
export type LoadResult = Pick<
  RoleResult,
  | 'phases'
  | 'negotiated'
  | 'localPorts'
  | 'counters'
  | 'latency'
  | 'lateness'
  | 'histograms'
  | 'states'
  | 'randomness'
  | 'degraded'
> & {
  /** For the environment of the result: how the workload ended, say. */
  facts: RoleResult['environment'];
};

/** `folder`: the Run's own, where there is one; `localAddress`: of the link, for every socket to be bound to. */
export type PrepareWorker = PrepareClient & { folder?: string; localAddress?: string };

/** What each request carries and what it is answered with. */
export interface LoadRequests {
  prepare: { command: PrepareWorker; answer: null };
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

export type LoadAnswer =
  | { type: 'answer'; id: number; ok: true; data: LoadRequests[LoadRequestKind]['answer'] }
  | { type: 'answer'; id: number; ok: false; failure: RoleFailure };

/** Worker to supervisor. */
export type LoadMessage =
  | { type: 'ready' }
  | LoadAnswer
  | { type: 'phase'; phase: Phase; durationUs: number | null }
  | { type: 'progress'; progress: LoadProgress }
  | { type: 'trouble'; failure: RoleFailure }
  | { type: 'log'; level: LogLine['level']; text: string };
