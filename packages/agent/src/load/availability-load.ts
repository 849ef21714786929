import type { AbuseKind } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type { RoleResult, Series } from '@mqttlab/shared/domain/runs/role-result';
import { waitAtMost, within } from '@mqttlab/shared/kit/waiting';
import type { Connection, Traffic } from '../mqtt/connection.ts';
import { eachLimited } from '../mqtt/connection-source.ts';
import { packetTypes } from '../mqtt/packet-parser.ts';
import { type MqttSession, makePublishTemplate } from '../mqtt/packets.ts';
import { loadFailure, toLoadFailure } from '../processes/failures.ts';
import { checkAbuseBounds } from './abuse-bounds.ts';
import { ConnectingLoad } from './connecting-load.ts';
import { openTimed } from './counting/connection-meter.ts';
import type { LoadPhase } from './pacing/timeline.ts';
import type { ConnectingLoadOptions, LoadFigures } from './role-load.ts';
import type { LoadSnapshot } from './worker-messages.ts';

const sampleEveryMs = 100;

/**
 * Load from the abuser: none during the warm-up, to observe the broker beforehand; then the maximum that its
 * limits allow.
 */
export class AbuserLoad extends ConnectingLoad {
  readonly #abuse: Abuse;
  readonly #series: Series = { metric: 'abuse.held', unit: 'connections', timesMs: [], values: [] };
  #sampler: NodeJS.Timeout | null = null;

  /** Throws Failure 'abuse-refused'. */
  constructor(options: ConnectingLoadOptions) {
    super(options);
    checkAbuseBounds(options.command.spec);
    this.#abuse = abuses[options.command.spec.abuse](options);
  }

  override stop(): void {
    super.stop();
    if (this.#sampler !== null) clearInterval(this.#sampler);
    this.#sampler = null;
    this.#abuse.stop();
  }

  override snapshot(): LoadSnapshot {
    const held = this.#abuse.held();
    return { messages: held, all: held, late: 0, latencyMs: null };
  }

  figures(): LoadFigures {
    return {
      counters: makeCounters({
        connectionsHeld: this.#abuse.max(),
        connectionsFailed: this.#abuse.refused(),
      }),
      series: [this.#series],
      facts: this.#abuse.facts(),
    };
  }

  protected begun(): number {
    return this.#abuse.held();
  }

  protected begin(phase: LoadPhase): void {
    if (phase === 'warm-up') this.#sampler = setInterval(() => this.#sample(), sampleEveryMs);
    if (phase === 'measure') void this.#abuse.start();
  }

  #sample(): void {
    this.#series.timesMs.push((this.options.clock.nowUs() - this.instants.measureAtUs) / 1000);
    this.#series.values.push(this.#abuse.held());
  }
}

const nothing: Abuse = {
  start: () => Promise.resolve(),
  stop: () => {},
  held: () => 0,
  max: () => 0,
  refused: () => 0,
  facts: () => ({}),
};

const abuses: Readonly<Record<AbuseKind, (options: ConnectingLoadOptions) => Abuse>> = {
  none: () => nothing,
  'slow keep-alive': makeSlowKeepAlive,
  'persistent sessions': makePersistentSessions,
};

interface Abuse {
  /** Resolves when all sessions have been tried or after `stop`. Never rejects. */
  start(): Promise<void>;
  /** Closes every connection immediately; idempotent. */
  stop(): void;
  /** Returns the current number of connections or sessions; `max` returns its maximum. */
  held(): number;
  max(): number;
  refused(): number;
  facts(): RoleResult['environment'];
}

/** Maximum keep-alive in s; the broker waits 1.5 times as long (MQTT 5 section 3.1.2.10). */
const longestKeepAliveS = 65_535;
/** Maximum number of connections opened in parallel. */
const keepAliveLanes = 20;

/**
 * Makes the abuse SlowITe: connections that announce the maximum keep-alive and then send nothing. Each
 * connection is opened once. A refused or closed connection is not reopened, so the broker never receives
 * more than the trial allows.
 */
function makeSlowKeepAlive({ command, connections }: ConnectingLoadOptions): Abuse {
  const held = new Set<Connection>();
  let refused = 0;
  let closedByBroker = 0;
  let peak = 0;
  let isStopped = false;

  const lose = (connection: Connection): void => {
    if (!held.delete(connection)) return;
    connections.forget(connection);
    closedByBroker += 1;
  };
  const open = async (): Promise<void> => {
    if (isStopped) return;
    const connection: Connection = connections.make({
      session: { keepAliveS: longestKeepAliveS },
      listener: { onLost: () => lose(connection) },
    });
    try {
      await connection.open();
      if (isStopped) connections.forget(connection);
      else held.add(connection);
      peak = Math.max(peak, held.size);
    } catch {
      connections.forget(connection);
      refused += 1;
    }
  };
  return {
    start: () => eachLimited(Array.from({ length: command.spec.abusers }), keepAliveLanes, open),
    stop() {
      isStopped = true;
      for (const connection of held) connections.forget(connection);
      held.clear();
    },
    held: () => held.size,
    max: () => peak,
    refused: () => refused,
    facts: () => ({ 'abuse.refused': refused, 'abuse.closedByBroker': closedByBroker }),
  };
}

/** Session expiry interval of a session that never expires (MQTT 5 section 3.1.2.11.2). */
const neverExpiresS = 0xffff_ffff;
const sessionLanes = 10;
const stepTimeoutMs = 5_000;

/**
 * Creates sessions that never expire, each with a separate subscription at QoS 1 and messages that the broker
 * must store for a client that never returns. The sessions end with the broker.
 */
function makePersistentSessions({ command, connections }: ConnectingLoadOptions): Abuse {
  const { spec, runTag } = command;
  const open = new Set<Connection>();
  let made = 0;
  let refused = 0;
  let queued = 0;
  let firstRefusal: string | null = null;
  let isStopped = false;

  const work = async (
    { topic, session = {} }: { topic: string; session?: Pick<MqttSession, 'sessionExpiryS'> },
    act: (connection: Connection) => Promise<void>,
  ): Promise<void> => {
    const connection = connections.make({ spec: { ...spec, qos: 1, topic }, session });
    open.add(connection);
    try {
      await connection.open();
      await act(connection);
      const tooLong = () => loadFailure('timeout', 'The broker did not close the connection.');
      await within(stepTimeoutMs, tooLong, connections.close(connection));
    } finally {
      open.delete(connection);
      connections.forget(connection);
    }
  };

  /** Publishes on a separate connection, one message after the other. */
  const fill = (topic: string): Promise<void> => {
    const { packet, packetIdAt } = makePublishTemplate({ ...spec, qos: 1, topic }, runTag);
    const bytes = Buffer.from(packet);
    return work({ topic }, async (connection) => {
      for (let sent = 0; sent < spec.queuedMessages && !isStopped; sent += 1) {
        bytes.writeUInt16BE(sent + 1, packetIdAt);
        const acknowledged = Promise.withResolvers<number>();
        connection.setTraffic(acknowledgementsTo(acknowledged.resolve));
        connection.writer.write(bytes, () => {});
        const tooLong = () => loadFailure('timeout', 'The broker did not acknowledge a message.');
        const reason = await within(stepTimeoutMs, tooLong, acknowledged.promise);
        if (reason < 0x80) queued += 1;
      }
    });
  };

  const begin = async (number: number): Promise<void> => {
    if (isStopped) return;
    const topic = `${spec.topic}/${number}`;
    try {
      await work({ topic, session: { sessionExpiryS: neverExpiresS } }, (connection) =>
        connection.subscribe(),
      );
      made += 1;
      await fill(topic);
    } catch (error) {
      refused += 1;
      firstRefusal ??= toLoadFailure(error).message;
    }
  };

  return {
    start: () => eachLimited([...Array(spec.abusers).keys()], sessionLanes, begin),
    stop() {
      isStopped = true;
      for (const connection of open) connections.forget(connection);
    },
    held: () => made,
    max: () => made,
    refused: () => refused,
    facts: () => ({
      'abuse.sessions': made,
      'abuse.refused': refused,
      'abuse.firstRefusal': firstRefusal,
      'abuse.queuedMessages': queued,
    }),
  };
}

function acknowledgementsTo(done: (reasonCode: number) => void): Traffic {
  return {
    onPublish: () => {},
    onAcknowledgement: (type, _packetId, reasonCode) => {
      if (type === packetTypes.puback) done(reasonCode);
    },
    afterChunk: () => {},
  };
}

const probeEveryMs = 100;
/** Timeout for a client in this workload. */
const probeTimeoutMs = 2_000;

interface Attempt {
  /** Time in ms since the start of the measure phase; negative before the abuse begins. */
  dueMs: number;
  setUpMs: number | null;
}

/**
 * The legitimate client. It repeatedly tries to connect on a schedule that does not wait for the previous
 * attempt, and disconnects immediately after success.
 */
export class ProbeLoad extends ConnectingLoad {
  readonly #attempts: Attempt[] = [];
  readonly #pending = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #firstFailure: string | null = null;
  #stopped = false;

  override stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.work = Promise.all(this.#pending);
    super.stop();
  }

  figures(): LoadFigures {
    const { opened, failed } = this.meter;
    const attempts = this.#attempts.toSorted((a, b) => a.dueMs - b.dueMs);
    const timesMs = attempts.map(({ dueMs }) => dueMs);
    const series: Series[] = [
      {
        metric: 'probe.reached',
        unit: '',
        timesMs,
        values: attempts.map(({ setUpMs }) => (setUpMs === null ? 0 : 1)),
      },
      { metric: 'probe.setUp', unit: 'ms', timesMs, values: attempts.map(({ setUpMs }) => setUpMs) },
    ];
    return {
      counters: makeCounters({ connectionsOpened: opened, connectionsFailed: failed }),
      histograms: this.meter.histograms(),
      series,
      // A refused client is an observation in this workload, not an error of the measurement.
      facts: {
        'probe.everyMs': probeEveryMs,
        'probe.timeoutMs': probeTimeoutMs,
        'probe.firstFailure': this.#firstFailure,
      },
    };
  }

  protected begun(): number {
    return this.#attempts.length;
  }

  protected begin(phase: LoadPhase): void {
    if (phase === 'warm-up') this.#schedule(this.instants.warmUpAtUs);
  }

  #schedule(dueUs: number): void {
    const { measureAtUs, stopAtUs } = this.instants;
    if (this.#stopped || dueUs >= stopAtUs) return;
    const waitMs = (dueUs - this.options.clock.nowUs()) / 1000;
    this.#timer = setTimeout(
      () => {
        const attempt = this.#tryOnce((dueUs - measureAtUs) / 1000);
        this.#pending.add(attempt);
        void attempt.finally(() => this.#pending.delete(attempt));
        this.#schedule(dueUs + probeEveryMs * 1000);
      },
      Math.max(0, waitMs),
    );
  }

  async #tryOnce(dueMs: number): Promise<void> {
    const { clock, connections } = this.options;
    const counts = dueMs >= 0;
    const attempt: Attempt = { dueMs, setUpMs: null };
    this.#attempts.push(attempt);
    const connection = connections.make();
    try {
      const tooLong = () => loadFailure('timeout', 'The broker did not accept the client in time.');
      const times = await within(probeTimeoutMs, tooLong, openTimed(connection, { clock }));
      attempt.setUpMs = times.setUpUs / 1000;
      if (counts) this.meter.add(times);
      await waitAtMost(probeTimeoutMs, connections.close(connection));
    } catch (error) {
      this.#firstFailure ??= toLoadFailure(error).message;
      if (counts) this.meter.fail(error);
    } finally {
      connections.forget(connection);
    }
  }
}
