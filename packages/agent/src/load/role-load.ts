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

/** Part of a result that a load adds; absent fields are unknown or do not apply. */
export type LoadFigures = { counters: Counters } & Partial<
  Omit<
    LoadResult,
    'counters' | 'phases' | 'negotiated' | 'localPorts' | 'upstream' | 'bridge' | 'brokerStatus'
  >
>;

/** A connection as a load uses it: a built-in connection, or the pipe of a client program. */
export interface Carrier {
  readonly writer: ByteWriter;
  readonly grant: ConnectionGrant | null;
}

/** A worker's load on its connections, either sending or receiving. */
export interface RoleLoad {
  /** Returns the traffic of a connection; called once for each connection, before it is opened. */
  attach(carrier: Carrier, index: number): Traffic;
  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void;
  /** Called when a connection was lost; nothing more is sent or counted on it. */
  lose(index: number): void;
  /** Stops sending and timers immediately; idempotent. */
  stop(): void;
  drain(expected: number | null): Promise<Drained>;
  snapshot(): LoadSnapshot;
  /** Latency since the previous bucket; absent if the load measures no latency. */
  cutBucket?(): LoadSnapshot['latencyMs'];
  figures(): LoadFigures;
}

export type RoleLoadOptions = PayloadPathOptions & {
  /** Maximum number of messages per write; default: as many as fit into a buffer. */
  mostPerWrite?: number;
};

/** Options for workloads that open and close connections themselves. */
export interface ConnectingLoadOptions extends RoleLoadOptions {
  connections: ConnectionSource;
  /** Called if the run cannot match the trial. */
  onFailure: (failure: RoleFailure) => void;
}

/** A connection made for one message, by the built-in engine or by another program. */
export interface MessageConnection {
  readonly writer: ByteWriter;
  /** Opens the connection. Rejects with Failure, as does `close`. */
  open(): Promise<OpeningTimes>;
  /** Closes the connection; called when every message is acknowledged. */
  close(): Promise<void>;
  /** Ends the connection immediately in any state; idempotent. */
  forget(): void;
  /** Returns the bytes on a closed and measured connection, below TLS. */
  measured(): Pick<Transport, 'bytesSent' | 'bytesReceived'>;
}

/** `index` is the index of the publisher. `onLost` is called if the connection ended without `close`. */
export type MakeMessageConnection = (
  index: number,
  traffic: Traffic,
  onLost: (why: string) => void,
) => MessageConnection;

/** Makes connections of the built-in engine. */
export function makeOwnConnections({
  connections,
  clock,
  onFailure,
}: ConnectingLoadOptions): MakeMessageConnection {
  return (_index, traffic, onLost) => {
    const connection = connections.make({ listener: { onLost: ({ message }) => onLost(message) } });
    connection.setTraffic(traffic);
    return {
      writer: connection.writer,
      open: () => openTimed(connection, { clock, onFailure }),
      close: () => connections.close(connection),
      forget: () => connections.forget(connection),
      measured: () => connection.transport,
    };
  };
}
