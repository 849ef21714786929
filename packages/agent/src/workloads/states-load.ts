import { setTimeout as wait } from 'node:timers/promises';
import type { StateBytes } from '@mqttlab/shared/domain/runs/role-result';
import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import { waitAtMost, within } from '@mqttlab/shared/kit/waiting';
import { loadFailure } from '../base/load-failures.ts';
import type { LoadSnapshot } from '../load-process/worker-messages.ts';
import { AcknowledgementWriter } from '../mqtt/acknowledgements.ts';
import type { Connection, Traffic } from '../mqtt/connection.ts';
import { packetTypes } from '../mqtt/packet-parser.ts';
import { encodeEmptyPublish } from '../mqtt/packets.ts';
import { readSegments } from '../mqtt/segments.ts';
import { eachLimited } from '../pacing/each-limited.ts';
import type { LoadPhase } from '../pacing/timeline.ts';
import { certificateBytesOf } from '../tls/negotiated.ts';
import { ConnectingLoad } from './connecting-load.ts';
import { openTimed } from './counting/connection-meter.ts';
import {
  nothingYet,
  type Reading,
  readingOf,
  spentBetween,
  summariseStates,
} from './counting/state-bytes.ts';
import type { LoadFigures } from './role-load.ts';

/** So many connections at once, one third for each state behind CON. */
const batch = 30;
const lanes = 10;
/** Longer than a delayed acknowledgement may take (TCP_DELACK_MAX of Linux), so that none is missed. */
const settleMs = 300;
const closeTimeoutMs = 2_000;

const targets = ['SUB', 'PUB', 'DISC'] as const;

interface Probe {
  target: (typeof targets)[number];
  connection: Connection;
  exchange: StateExchange;
  /** Settled once the broker has closed its half. */
  halfClosed: Promise<void>;
  connected: Reading;
}

/**
 * The bytes it takes to reach each state of a connection: CON from nothing, SUB, PUB and DISC each from CON, each on
 * a connection of its own. Nothing else is under way on it, and it is looked at when all is acknowledged.
 */
export class StatesLoad extends ConnectingLoad {
  readonly #spent: StateBytes[] = [];
  #framesUnknown: string | null = null;
  /** Of the first connections that got there. */
  #packets: Record<string, number> = {};

  figures(): LoadFigures {
    const { opened, failed } = this.meter;
    return {
      counters: makeCounters({ connectionsOpened: opened, connectionsFailed: failed }),
      // Several were opened at once, so that how long each took is nobody's figure: no histograms.
      states: summariseStates(this.#spent),
      facts: {
        'workload.ended': `${opened} of ${this.options.command.spec.connections} connections were counted`,
        'states.settleMs': settleMs,
        ...this.#packets,
        ...(this.#framesUnknown === null ? {} : { 'states.frames': this.#framesUnknown }),
      },
      degraded: this.meter.degraded(),
    };
  }

  override snapshot(): LoadSnapshot {
    const counted = summariseStates(this.#spent).map(
      ({ state, bytesSent, bytesReceived }) => [`state.${state}.bytes`, bytesSent + bytesReceived] as const,
    );
    return { ...super.snapshot(), soFar: Object.fromEntries(counted) };
  }

  protected begun(): number {
    return this.meter.opened;
  }

  protected begin(phase: LoadPhase): void {
    if (phase === 'measure') this.work = this.#countAll();
  }

  async #countAll(): Promise<void> {
    // At least one connection for each state.
    const wanted = Math.max(targets.length, this.options.command.spec.connections);
    for (let begun = 0; begun < wanted && (begun === 0 || this.phase === 'measure'); begun += batch) {
      await this.#countBatch(Math.min(batch, wanted - begun));
    }
    this.enter('drain');
  }

  async #countBatch(count: number): Promise<void> {
    const probes = Array.from({ length: count }, (_, i) =>
      this.#makeProbe(targets[i % targets.length] ?? 'SUB'),
    );
    const alive = new Set(probes);
    const attempt = (step: (probe: Probe) => Promise<void>) =>
      eachLimited([...alive], lanes, async (probe) => {
        try {
          await step(probe);
        } catch (error) {
          alive.delete(probe);
          this.meter.fail(error);
        }
      });
    await attempt((probe) => this.#open(probe));
    await this.#settle([...alive], (probe, reading) => {
      this.#spent.push(spentBetween('CON', nothingYet, reading));
      probe.connected = reading;
    });
    await attempt((probe) => this.#reach(probe));
    await this.#settle([...alive], ({ target, connected }, reading) => {
      this.#spent.push(spentBetween(target, connected, reading));
    });
    await this.#closeAll(probes);
  }

  #makeProbe(target: Probe['target']): Probe {
    const { command, connections } = this.options;
    const halfClosed = Promise.withResolvers<void>();
    const connection = connections.make({
      spec: { ...command.spec, topic: stateTopics.subscribe, sharedSubscription: false },
      keepsHalfOpen: true,
      onHalfClosed: halfClosed.resolve,
    });
    const exchange = new StateExchange(connection);
    connection.carry(exchange);
    return { target, connection, exchange, halfClosed: halfClosed.promise, connected: nothingYet };
  }

  async #open({ connection }: Probe): Promise<void> {
    const { clock, onTrouble } = this.options;
    this.meter.add(await openTimed(connection, { clock, onTrouble }));
    this.#packets = { ...describePackets(connection), ...this.#packets };
  }

  async #reach({ target, connection, exchange, halfClosed }: Probe): Promise<void> {
    const { mqttVersion, qos } = this.options.command.spec;
    if (target === 'SUB') {
      await connection.subscribe();
      this.#packets = { ...describePackets(connection), ...this.#packets };
    } else if (target === 'PUB') {
      const bytes = await exchange.publish({ mqttVersion, qos, topic: stateTopics.publish });
      this.#packets = { 'states.packet.PUBLISH': bytes, ...this.#packets };
    } else {
      connection.leave();
      // MQTT 5 section 3.14.4: then the broker closes.
      const closed = await waitAtMost(closeTimeoutMs, halfClosed);
      if (!closed) this.#framesUnknown = 'the broker does not close after DISCONNECT';
    }
  }

  async #settle(probes: readonly Probe[], take: (probe: Probe, reading: Reading) => void): Promise<void> {
    await wait(settleMs);
    const segments = await readSegments(this.options.command.broker.port);
    if (segments === null) this.#framesUnknown = 'ss(8) of iproute2 is not installed on this device';
    for (const probe of probes) take(probe, readingOf(probe.connection, segments));
  }

  /** After DISCONNECT only our half is left; the others say good-bye as usual. */
  async #closeAll(probes: readonly Probe[]): Promise<void> {
    const { connections } = this.options;
    const closed = eachLimited(probes, lanes, async ({ connection, target }) => {
      if (target === 'DISC') connections.forget(connection);
      else await connections.close(connection);
    });
    await waitAtMost(closeTimeoutMs, closed);
    for (const { connection } of probes) connections.forget(connection);
  }
}

/** What the bytes of a state are made of: packets as they were sent and answered, and certificates. */
function describePackets({ answered, transport }: Connection): Record<string, number> {
  const [connect, subscribe] = answered;
  const certificates = certificateBytesOf(transport.tlsSocket);
  return {
    ...(connect && { 'states.packet.CONNECT': connect.bytes, 'states.packet.CONNACK': connect.answerBytes }),
    ...(subscribe && {
      'states.packet.SUBSCRIBE': subscribe.bytes,
      'states.packet.SUBACK': subscribe.answerBytes,
    }),
    ...(certificates === null ? {} : { 'states.certificateBytes': certificates }),
  };
}

/** Four bytes each, as in the published counts; two of them, so that no subscriber gets what is published. */
const stateTopics = { subscribe: 'msub', publish: 'mpub' } as const;

const stepTimeoutMs = 15_000;

/** One message without payload on a connection, to its last acknowledgement. */
class StateExchange implements Traffic {
  readonly #connection: Connection;
  readonly #replies: AcknowledgementWriter;
  readonly #delivered = Promise.withResolvers<void>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#replies = new AcknowledgementWriter(connection.writer);
  }

  /** Resolves with the length of the packet; rejects with Failure when no acknowledgement comes. */
  async publish(packet: Parameters<typeof encodeEmptyPublish>[0]): Promise<number> {
    const bytes = encodeEmptyPublish(packet);
    const written = Promise.withResolvers<void>();
    this.#connection.writer.write(bytes, written.resolve);
    await written.promise;
    if (packet.qos === 0) return bytes.length;
    const tooLong = () => loadFailure('timeout', 'The broker did not acknowledge a message.');
    await within(stepTimeoutMs, tooLong, this.#delivered.promise);
    return bytes.length;
  }

  onPublish(): void {}

  onAcknowledgement(type: number, packetId: number, reasonCode: number): void {
    const goesOn = type === packetTypes.pubrec && reasonCode < 0x80;
    if (goesOn) this.#replies.add(packetTypes.pubrel, packetId);
    else this.#delivered.resolve();
  }

  afterChunk(): void {
    this.#replies.flush();
  }
}
