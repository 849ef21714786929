import {
  type BrokerState,
  type BrokerStatus,
  maxBrokerChanges,
} from '@mqttlab/shared/domain/runs/bridge-counters';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { Backoff } from '@mqttlab/shared/kit/backoff';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { waitAtMost } from '@mqttlab/shared/kit/waiting';
import { quantile } from '@mqttlab/shared/statistics/descriptive/summary';
import type { MicrosecondClock } from '../load/pacing/clock.ts';
import type { Connection, ConnectionListener } from '../mqtt/connection.ts';

interface LastingConnectionOptions {
  /** Brokers to which it connects; at least one. */
  brokers: number;
  make: (broker: number, listener: ConnectionListener) => Connection;
  /** Connects, from TCP to the last step before the connection can be used. Rejects with Failure. */
  open: (connection: Connection) => Promise<void>;
  onUp: (connection: Connection) => void;
  /** Called when the connection is lost or could not be opened; its last bytes can be counted now. */
  onDown: (connection: Connection, reason: string) => void;
  /** True while reading is paused, so that responses to heartbeats cannot arrive. */
  isPaused: () => boolean;
  heartbeatMs: number;
  clock: MicrosecondClock;
}

/** Counts since the first connection. */
interface ConnectionHistory {
  reconnects: number;
  /** Reconnects that led to another broker in the list. */
  failovers: number;
}

/** From the published study: a broker counts as unavailable after two missed heartbeats. */
const maxMissed = 2;
/**
 * Backoff from 50 to 75 ms at first, up to 2 to 3 s. It is random so that many bridges do not reconnect at
 * the same time.
 */
const pauses = { firstMs: 75, longestMs: 3_000, jitter: 1 / 3 };

/**
 * Keeps one connection open to the first reachable broker of a list. If the connection is lost, or two
 * consecutive heartbeats (PINGREQ) are not answered, it tries the next broker. The pause grows after each
 * complete round.
 */
export class LastingConnection {
  readonly history: ConnectionHistory = { reconnects: 0, failovers: 0 };
  /** Entries by broker in the list. */
  readonly heartbeats: readonly BrokerHeartbeats[];
  readonly #options: LastingConnectionOptions;
  #connection: Connection | null = null;
  #broker = 0;
  #unanswered = 0;
  #heart: NodeJS.Timeout | null = null;
  readonly #ended = Promise.withResolvers<void>();
  #stopped = false;
  /** Connections that were lost before they were adopted. */
  readonly #lost = new WeakMap<Connection, RoleFailure>();

  constructor(options: LastingConnectionOptions) {
    this.#options = options;
    this.heartbeats = Array.from(
      { length: options.brokers },
      () => new BrokerHeartbeats(() => options.clock.nowUs()),
    );
  }

  /** null while disconnected. */
  get connection(): Connection | null {
    return this.#connection;
  }

  /** Returns the connection options, for a caller that opens the first connection in timed steps. */
  makeFirst(): Connection {
    return this.#make();
  }

  /** Returns the next broker in the list if the first connection could not be opened; null after the last. */
  makeNext(): Connection | null {
    this.#present.turn('not reachable');
    if (this.#broker + 1 >= this.#options.brokers) return null;
    this.#broker += 1;
    this.history.failovers += 1;
    return this.#make();
  }

  /** Keeps this connection open from now on. Reopens it if it was lost since it was opened. */
  adopt(connection: Connection): void {
    this.#connection = connection;
    this.#unanswered = 0;
    const lost = this.#lost.get(connection);
    if (lost !== undefined) {
      this.#lose(connection, lost);
      return;
    }
    this.#present.turn('connected');
    this.#beat();
    this.#heart = setInterval(() => this.#beat(), this.#options.heartbeatMs);
    this.#options.onUp(connection);
  }

  /** Stops reconnecting; an open connection stays open. Idempotent. */
  stop(): void {
    this.#stopped = true;
    this.#rest();
    this.#ended.resolve();
  }

  #make(): Connection {
    const connection: Connection = this.#options.make(this.#broker, {
      onLost: (failure) => this.#lose(connection, failure),
      onPong: () => {
        this.#unanswered = 0;
        this.#present.answer();
      },
    });
    return connection;
  }

  #beat(): void {
    const connection = this.#connection;
    if (connection === null || this.#options.isPaused()) return;
    const present = this.#present;
    if (this.#unanswered > 0) present.missed += 1;
    if (this.#unanswered >= maxMissed) {
      present.turn('silent');
      // The closing of this connection is reported like that of any other.
      connection.transport.destroy();
    } else {
      connection.ping();
      present.send();
    }
    this.#unanswered += 1;
  }

  /** Returns the broker that is in use or being tried. */
  get #present(): BrokerHeartbeats {
    const found = this.heartbeats[this.#broker];
    if (!found) throw new RangeError(`no broker ${this.#broker} in the list`);
    return found;
  }

  #rest(): void {
    if (this.#heart !== null) clearInterval(this.#heart);
    this.#heart = null;
  }

  #lose(connection: Connection, failure: RoleFailure): void {
    if (this.#connection !== connection) {
      this.#lost.set(connection, failure);
      return;
    }
    const { message } = failure;
    this.#connection = null;
    this.#rest();
    if (this.#stopped) return;
    this.#present.turn('lost');
    this.#options.onDown(connection, message);
    void this.#reopen();
  }

  async #reopen(): Promise<void> {
    const { brokers } = this.#options;
    const lostBroker = this.#broker;
    const backoff = new Backoff(pauses);
    for (let attempt = 1; !this.#stopped; attempt += 1) {
      this.#broker = (this.#broker + 1) % brokers;
      if (brokers === 1 || attempt % brokers === 0) await waitAtMost(backoff.next(), this.#ended.promise);
      if (this.#stopped) return;
      const connection = this.#make();
      try {
        await this.#options.open(connection);
        this.history.reconnects += 1;
        if (this.#broker !== lostBroker) this.history.failovers += 1;
        if (this.#stopped) connection.transport.destroy();
        else this.adopt(connection);
        return;
      } catch (error) {
        this.#present.turn('not reachable');
        connection.transport.destroy();
        this.#options.onDown(connection, reasonOf(error));
      }
    }
  }
}

/** Results of the heartbeats to one broker in a list. */
class BrokerHeartbeats {
  missed = 0;
  readonly #nowUs: () => number;
  readonly #answersUs: number[] = [];
  readonly #changes: { atUs: number; state: BrokerState }[] = [];
  #sent = 0;
  #changeCount = 0;
  #state: BrokerState | null = null;
  #beatAtUs: number | null = null;

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs;
  }

  send(): void {
    this.#sent += 1;
    this.#beatAtUs = this.#nowUs();
  }

  /** Records an answer. Excludes keep-alive pings, which are also answered. */
  answer(): void {
    if (this.#beatAtUs === null) return;
    this.#answersUs.push(this.#nowUs() - this.#beatAtUs);
    this.#beatAtUs = null;
  }

  /** Sets the state. The first reason for a disconnection counts until the connection is restored. */
  turn(state: BrokerState): void {
    const isDown = this.#state !== null && this.#state !== 'connected';
    if (state === this.#state || (isDown && state !== 'connected')) return;
    this.#state = state;
    this.#beatAtUs = null;
    this.#changeCount += 1;
    if (this.#changes.length < maxBrokerChanges) this.#changes.push({ atUs: this.#nowUs(), state });
  }

  /** Returns statistics of the heartbeats. `zeroUs` is the start of measuring on the same clock. */
  status(zeroUs: number): Omit<BrokerStatus, 'leg' | 'place'> {
    return {
      sent: this.#sent,
      answered: this.#answersUs.length,
      missed: this.missed,
      medianAnswerUs: quantile(this.#answersUs, 0.5),
      changeCount: this.#changeCount,
      changes: this.#changes.map(({ atUs, state }) => ({ atMs: (atUs - zeroUs) / 1000, state })),
    };
  }
}
