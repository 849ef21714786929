import type { Counters, RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { Drained } from '@mqttlab/shared/messages/agent';
import type { Traffic } from '../mqtt/connection.ts';
import type { ConnectionGrant } from '../mqtt/connection-grant.ts';
import type { ConnectionSource } from '../mqtt/connection-source.ts';
import type { ByteWriter } from '../mqtt/packets.ts';
import type { Transport } from '../mqtt/transport.ts';
import type { PayloadPathOptions } from '../payload/path/payload-path.ts';
import { type OpeningTimes, openTimed } from './counting/connection-meter.ts';
import type { Instants, LoadPhase } from './pacing/timeline.ts';
import type { LoadResult, LoadSnapshot } from './worker-messages.ts';

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
  /** A connection was lost: nothing more is sent or counted on it. */
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
  /** The run cannot be as the trial demands. */
  onTrouble: (failure: RoleFailure) => void;
}

/** A connection that is made for one message: of our own engine, or of another program. */
export interface MessageConnection {
  readonly writer: ByteWriter;
  /** Rejects with Failure, as `close`. */
  open(): Promise<OpeningTimes>;
  /** Called when everything is acknowledged. */
  close(): Promise<void>;
  /** At once, whatever its state; idempotent. */
  forget(): void;
  /** Of one that was closed and measured; below TLS. */
  measured(): Pick<Transport, 'bytesSent' | 'bytesReceived'>;
}

/** `index`: of the publisher; `onLost`: it ended without `close`. */
export type MakeMessageConnection = (
  index: number,
  traffic: Traffic,
  onLost: (why: string) => void,
) => MessageConnection;

/** Those of our own engine. */
export function makeOwnConnections({
  connections,
  clock,
  onTrouble,
}: ConnectingLoadOptions): MakeMessageConnection {
  return (_index, traffic, onLost) => {
    const connection = connections.make({ onLost: ({ message }) => onLost(message) });
    connection.carry(traffic);
    return {
      writer: connection.writer,
      open: () => openTimed(connection, { clock, onTrouble }),
      close: () => connections.close(connection),
      forget: () => connections.forget(connection),
      measured: () => connection.transport,
    };
  };
}
