import type { ByteWriter } from '../mqtt/buffers.ts';
import type { Traffic } from '../mqtt/connection.ts';
import type { Transport } from '../mqtt/transport.ts';
import { type OpeningTimes, openTimed } from './counting/connection-meter.ts';
import type { ConnectingLoadOptions } from './role-load.ts';

/** A connection that is made for one message: of our own engine, or of another program. */
export interface MessageConnection {
  readonly writer: ByteWriter;
  /** Rejects with Failure, as `close`. */
  open(): Promise<OpeningTimes>;
  /** Once everything is acknowledged that nobody else waits for. */
  close(): Promise<void>;
  /** At once, whatever its state; idempotent. */
  forget(): void;
  /** Of one that was closed and measured; below TLS. */
  measured(): Pick<Transport, 'bytesSent' | 'bytesReceived'>;
}

/** `index`: of the publisher; `onLost`: it ended although nobody closed it. */
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
