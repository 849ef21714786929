import type { Counters, RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { Drained } from '@mqttlab/shared/messages/agent';
import type { LoadResult, LoadSnapshot } from '../load-process/worker-messages.ts';
import type { ByteWriter } from '../mqtt/buffers.ts';
import type { Traffic } from '../mqtt/connection.ts';
import type { ConnectionGrant } from '../mqtt/connection-grant.ts';
import type { ConnectionSource } from '../mqtt/connection-source.ts';
import type { Instants, LoadPhase } from '../pacing/timeline.ts';
import type { PayloadPathOptions } from '../payload/path/payload-path.ts';

/** What a load adds to the result of its role; what is absent is not known or not there. */
export type LoadFigures = { counters: Counters } & Partial<
  Omit<
    LoadResult,
    'counters' | 'phases' | 'negotiated' | 'localPorts' | 'upstream' | 'bridge' | 'brokerStatus'
  >
>;

/** What a load needs of a connection: ours, or the pipe of another program that has one. */
export interface Carrier {
  readonly writer: ByteWriter;
  readonly grant: ConnectionGrant | null;
}

/** What a worker does with its connections: send or receive. */
export interface RoleLoad {
  /** The traffic of a connection; called once for each, before it is opened. */
  attach(carrier: Carrier, index: number): Traffic;
  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void;
  /** A connection is gone: nothing more is sent or counted on it. */
  lose(index: number): void;
  /** Ends sending and timers at once; idempotent. */
  stop(): void;
  drain(expected: number | null): Promise<Drained>;
  snapshot(): LoadSnapshot;
  /** Latency since the bucket before; absent: it times nothing. */
  cutBucket?(): LoadSnapshot['latencyMs'];
  figures(): LoadFigures;
}

export type RoleLoadOptions = PayloadPathOptions;

/** For workloads that open and close connections themselves. */
export interface ConnectingLoadOptions extends RoleLoadOptions {
  connections: ConnectionSource;
  /** The Run cannot be what was asked. */
  onTrouble: (failure: RoleFailure) => void;
}
