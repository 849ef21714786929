import type { Phase } from '@mqttlab/shared/domain/runs/phase';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import type { MicrosecondClock } from '../pacing/monotonic.ts';
import type { WireBytes } from '../workloads/counting/phase-meter.ts';
import type { LoadSnapshot } from '../workloads/role-load.ts';
import type { BridgeTally, LoadResult } from './worker-messages.ts';

export interface LoadDriverOptions {
  command: PrepareClient;
  /** The Run's own, for files that other programs read; null where there is none. */
  folder: string | null;
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
  /** Rejects with RunFailure, as `connect`. */
  prepare(): Promise<void>;
  connect(): Promise<Connected>;
  start(at: StartLoad): void;
  drain(expected: number | null): Promise<Drained>;
  /** null before start and after finish. */
  progress(): (LoadSnapshot & { atMs: number }) | null;
  /** What counts even if this process dies at once; absent: nothing does. */
  tally?(): BridgeTally | null;
  /** null where they cannot be counted. */
  wireBytes(): WireBytes | null;
  /** Never rejects. */
  finish(): Promise<LoadResult>;
}
