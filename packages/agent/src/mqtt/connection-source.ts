import { within } from '@mqttlab/shared/kit/waiting';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import type { MicrosecondClock } from '../load/pacing/clock.ts';
import { loadFailure } from '../processes/failures.ts';
import type { TlsProvider } from '../tls/client-tls.ts';
import { Connection, type ConnectionOptions, ignoreLoss } from './connection.ts';
import type { MqttSession } from './packets.ts';

const readBufferBytes = 65_536;
/** A value larger than the number of ports for outgoing connections does not help to find them. */
const maxPorts = 65_535;
const lanes = 10;
/** Number of identifiers with five digits in base 36, divided among several devices with the same role. */
const maxIds = 36 ** 5;
/** Options that all connections share. */
const closeTimeoutMs = 2_000;

/** Bytes below TLS. */
export interface WireBytes {
  sent: number;
  received: number;
}

interface ConnectionSourceOptions {
  /** `localAddress` is the link's address, to which every socket is bound. */
  command: PrepareClient & { localAddress?: string };
  clock: MicrosecondClock;
  /** null without TLS. */
  tls: TlsProvider | null;
}

/** Options of a connection that differ from the role's options. */
type ConnectionChanges = Partial<Omit<ConnectionOptions, 'session'>> & { session?: Partial<MqttSession> };

/** Opens every connection of one role in one run, and adds up their bytes on the wire. */
export class ConnectionSource {
  readonly #options: ConnectionSourceOptions;
  readonly #readBuffer = Buffer.alloc(readBufferBytes);
  /** Connections with their numbers, from 0 in the order of creation. */
  readonly #open = new Map<Connection, number>();
  readonly #closed: WireBytes = { sent: 0, received: 0 };
  readonly #ports: number[] = [];
  #made = 0;
  #ids = 0;

  constructor(options: ConnectionSourceOptions) {
    this.#options = options;
  }

  /** Returns the options of a connection, for callers that open a connection that is not measured. */
  basis(): Omit<ConnectionOptions, 'listener'> {
    const { command, clock, tls } = this.#options;
    const { spec, broker, localAddress } = command;
    return {
      spec,
      broker: { ...broker, ...(localAddress === undefined ? {} : { localAddress }) },
      clock,
      session: { clientId: this.#nextClientId(), credentials: command.credentials },
      tls,
      readBuffer: this.#readBuffer,
    };
  }

  make({ session, ...changes }: ConnectionChanges = {}): Connection {
    const basis = this.basis();
    const connection = new Connection({
      ...basis,
      listener: ignoreLoss,
      ...changes,
      session: { ...basis.session, ...session },
    });
    this.#open.set(connection, this.#made);
    this.#made += 1;
    return connection;
  }

  /**
   * Disconnects a connection; its bytes and its port remain counted. Waits for the broker without a limit,
   * never rejects.
   */
  async close(connection: Connection): Promise<void> {
    await connection.close();
    this.forget(connection);
  }

  /** Closes a connection immediately. */
  forget(connection: Connection): void {
    const { transport } = connection;
    const number = this.#open.get(connection);
    transport.destroy();
    if (number === undefined) return;
    this.#open.delete(connection);
    this.#closed.sent += transport.bytesSent;
    this.#closed.received += transport.bytesReceived;
    this.#keepPort(number, transport.localPort);
  }

  /**
   * Closes all open connections, ten at a time. Never rejects, and waits for the broker for a limited time.
   */
  async closeAll(): Promise<void> {
    const open = [...this.#open.keys()];
    const closed = eachLimited(open, lanes, (connection) => this.close(connection));
    const tooLong = () => loadFailure('timeout', 'The broker does not close its connections.');
    await within(closeTimeoutMs, tooLong, closed).catch(() => {});
    for (const connection of open) this.forget(connection);
  }

  /** Returns the bytes on all connections since the first one was opened. */
  wireBytes(): WireBytes {
    const bytes = { ...this.#closed };
    for (const { transport } of this.#open.keys()) {
      bytes.sent += transport.bytesSent;
      bytes.received += transport.bytesReceived;
    }
    return bytes;
  }

  /** Returns the local ports in the order in which their connections were created. */
  localPorts(): number[] {
    for (const [{ transport }, number] of this.#open) this.#keepPort(number, transport.localPort);
    return this.#ports.filter((port) => port > 0);
  }

  #keepPort(number: number, port: number): void {
    if (number < maxPorts) this.#ports[number] = port;
  }

  /** Returns a client id of 19 characters (MQTT 3.1 allows 23), so that every CONNECT has the same length. */
  #nextClientId(): string {
    const { role, runTag, mirror, share } = this.#options.command;
    // A mirror subscribes in addition to the real subscriber, and a broker disconnects one of two clients
    // with the same name.
    const letter = mirror && role === 'subscriber' ? 'm' : role.charAt(0);
    const first = share === null ? 0 : Math.floor(maxIds / share.of) * share.index;
    const number = (first + this.#ids).toString(36).padStart(5, '0');
    this.#ids += 1;
    return `lab-${runTag.toString(16).padStart(8, '0')}-${letter}${number}`;
  }
}

/**
 * Calls `step` for every item, at most `limit` at a time. Rejects with the first failure, after which no more
 * calls start.
 */
export async function eachLimited<T>(
  items: readonly T[],
  limit: number,
  step: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (const item of left) {
      if (failed) return;
      try {
        await step(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
}
