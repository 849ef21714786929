import {
  type BrokerState,
  type BrokerStatus,
  maxBrokerChanges,
} from '@mqttlab/shared/domain/runs/bridge-counters';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { Backoff } from '@mqttlab/shared/kit/backoff';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { Latch, waitAtMost } from '@mqttlab/shared/kit/waiting';
import { quantile } from '@mqttlab/shared/statistics/descriptive/summary';
import type { MicrosecondClock } from '../load/pacing/clock.ts';
import type { Connection, ConnectionOptions } from '../mqtt/connection.ts';

interface LastingConnectionOptions {
  /** Of the list of brokers; at least one. */
  brokers: number;
  make: (broker: number, listeners: Pick<ConnectionOptions, 'onLost' | 'onPong'>) => Connection;
  /** From TCP to what the connection is for. Rejects with Failure. */
  open: (connection: Connection) => Promise<void>;
  onUp: (connection: Connection) => void;
  /** It was lost, or could not be opened; its last bytes may be counted now. */
  onDown: (connection: Connection, reason: string) => void;
  /** True while nothing is read, so that answers to heartbeats cannot arrive. */
  isPaused: () => boolean;
  heartbeatMs: number;
  clock: MicrosecondClock;
}

/** Since the first connection. */
interface ConnectionHistory {
  reconnects: number;
  /** Reconnects that led to another broker of the list. */
  failovers: number;
}

/** As the study has it: unavailable after two heartbeats that did not come. */
const maxMissed = 2;
/** Pauses from 50 to 75 ms at first, from 2 to 3 s at last: many bridges must not come back all at once. */
const pauses = { firstMs: 75, longestMs: 3_000, jitter: 1 / 3 };

/**
 * Keeps one connection open to the first broker of a list that lives: when it is lost, or two heartbeats (PINGREQ)
 * in a row stay unanswered, the next one of the list is tried; after a whole round it waits, each time longer.
 */
export class LastingConnection {
  readonly history: ConnectionHistory = { reconnects: 0, failovers: 0 };
  /** Of each broker of the list. */
  readonly heartbeats: readonly BrokerHeartbeats[];
  readonly #options: LastingConnectionOptions;
  #connection: Connection | null = null;
  #broker = 0;
  #unanswered = 0;
  #heart: NodeJS.Timeout | null = null;
  readonly #ended = new Latch();
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

  /** null while there is none. */
  get connection(): Connection | null {
    return this.#connection;
  }

  /** For the caller to open: the first connection is set up in steps that are timed. */
  makeFirst(): Connection {
    return this.#make();
  }

  /** The first one could not be opened: of the next broker of the list; null after the last. */
  makeNext(): Connection | null {
    this.#present.turn('not reachable');
    if (this.#broker + 1 >= this.#options.brokers) return null;
    this.#broker += 1;
    this.history.failovers += 1;
    return this.#make();
  }

  /** Keeps this connection open from now on. A connection that was lost since it was opened is opened again. */
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

  /** No more attempts; what is open stays so. Idempotent. */
  stop(): void {
    this.#stopped = true;
    this.#rest();
    this.#ended.open();
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
      // Its end is reported like that of any other connection.
      connection.transport.destroy();
    } else {
      connection.ping();
      present.send();
    }
    this.#unanswered += 1;
  }

  /** Of the broker that is in use or being tried. */
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
      if (brokers === 1 || attempt % brokers === 0) await waitAtMost(backoff.next(), this.#ended.opened);
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

/** What the heartbeats to one broker of a list found out. */
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

  /** The pings of the keep-alive are answered too, and are none of these. */
  answer(): void {
    if (this.#beatAtUs === null) return;
    this.#answersUs.push(this.#nowUs() - this.#beatAtUs);
    this.#beatAtUs = null;
  }

  /** The first reason of not being connected counts until it is connected again. */
  turn(state: BrokerState): void {
    const isDown = this.#state !== null && this.#state !== 'connected';
    if (state === this.#state || (isDown && state !== 'connected')) return;
    this.#state = state;
    this.#beatAtUs = null;
    this.#changeCount += 1;
    if (this.#changes.length < maxBrokerChanges) this.#changes.push({ atUs: this.#nowUs(), state });
  }

  /** `zeroUs` of the same clock is when measuring began. */
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
