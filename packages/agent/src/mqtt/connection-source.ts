import { within } from '@mqttlab/shared/kit/waiting';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import type { MicrosecondClock } from '../load/pacing/clock.ts';
import { loadFailure } from '../processes/failures.ts';
import type { TlsProvider } from '../tls/client-tls.ts';
import { Connection, type ConnectionOptions } from './connection.ts';

const readBufferBytes = 65_536;
/** More ports than a device has for outgoing connections are no help in finding them. */
const maxPorts = 65_535;
const lanes = 10;
/** Five digits to the base of 36; several devices of a role divide them. */
const maxIds = 36 ** 5;
/** For all connections together. */
const closeTimeoutMs = 2_000;

/** Below TLS. */
export interface WireBytes {
  sent: number;
  received: number;
}

interface ConnectionSourceOptions {
  /** `localAddress`: of the link, for every socket to be bound to. */
  command: PrepareClient & { localAddress?: string };
  clock: MicrosecondClock;
  /** null when plain. */
  tls: TlsProvider | null;
}

/** Makes every connection of one role of one Run, and adds up what all of them put on the wire. */
export class ConnectionSource {
  readonly #options: ConnectionSourceOptions;
  readonly #readBuffer = Buffer.alloc(readBufferBytes);
  /** With the number of each, from 0 in the order in which they were made. */
  readonly #open = new Map<Connection, number>();
  readonly #closed: WireBytes = { sent: 0, received: 0 };
  readonly #ports: number[] = [];
  #made = 0;
  #ids = 0;

  constructor(options: ConnectionSourceOptions) {
    this.#options = options;
  }

  /** What a connection is made with, for those who make one that does not count. */
  basis(): Omit<ConnectionOptions, 'onLost'> {
    const { command, clock, tls } = this.#options;
    const { spec, broker, localAddress } = command;
    return {
      spec,
      broker: { ...broker, ...(localAddress === undefined ? {} : { localAddress }) },
      clock,
      clientId: this.#nextClientId(),
      credentials: command.credentials,
      tls: tls?.take() ?? null,
      onTls: (socket) => tls?.watch(socket),
      readBuffer: this.#readBuffer,
    };
  }

  make(more: Partial<ConnectionOptions> = {}): Connection {
    const connection = new Connection({ ...this.basis(), onLost: () => {}, ...more });
    this.#open.set(connection, this.#made);
    this.#made += 1;
    return connection;
  }

  /** Disconnects; its bytes and its port stay counted. Waits for the broker without end, never rejects. */
  async close(connection: Connection): Promise<void> {
    await connection.close();
    this.forget(connection);
  }

  /** Ends a connection at once. */
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

  /** All that are open, ten at a time; never rejects, and waits for a broker for a while only. */
  async closeAll(): Promise<void> {
    const open = [...this.#open.keys()];
    const closed = eachLimited(open, lanes, (connection) => this.close(connection));
    const tooLong = () => loadFailure('timeout', 'The broker does not close its connections.');
    await within(closeTimeoutMs, tooLong, closed).catch(() => {});
    for (const connection of open) this.forget(connection);
  }

  /** Of all connections since the first. */
  wireBytes(): WireBytes {
    const bytes = { ...this.#closed };
    for (const { transport } of this.#open.keys()) {
      bytes.sent += transport.bytesSent;
      bytes.received += transport.bytesReceived;
    }
    return bytes;
  }

  /** In the order in which the connections were made. */
  localPorts(): number[] {
    for (const [{ transport }, number] of this.#open) this.#keepPort(number, transport.localPort);
    return this.#ports.filter((port) => port > 0);
  }

  #keepPort(number: number, port: number): void {
    if (number < maxPorts) this.#ports[number] = port;
  }

  /** Always 19 characters, of the 23 that MQTT 3.1 allows, so that every CONNECT has the same length. */
  #nextClientId(): string {
    const { role, runTag, mirror, share } = this.#options.command;
    // A mirror subscribes beside the real subscriber: one broker throws one of two equal names out.
    const letter = mirror && role === 'subscriber' ? 'm' : role.charAt(0);
    const first = share === null ? 0 : Math.floor(maxIds / share.of) * share.index;
    const number = (first + this.#ids).toString(36).padStart(5, '0');
    this.#ids += 1;
    return `lab-${runTag.toString(16).padStart(8, '0')}-${letter}${number}`;
  }
}

/** Calls `step` for every item, at most `limit` at once; rejects with the first failure, after which no more begin. */
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
