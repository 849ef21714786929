import { lacksTag } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { endsEarly } from '@mqttlab/shared/catalogue/workloads';
import { payloadBytesOf, stampBytes } from '@mqttlab/shared/domain/plans/trial-levels';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import { poll } from '@mqttlab/shared/kit/poll';
import type { Drained } from '@mqttlab/shared/messages/agent';
import { AcknowledgementWriter } from '../mqtt/acknowledgements.ts';
import type { Traffic } from '../mqtt/connection.ts';
import { type IncomingPublish, packetTypes } from '../mqtt/packet-parser.ts';
import type { ByteWriter } from '../mqtt/packets.ts';
import {
  makePayloadOpening,
  nothingRefused,
  type PayloadOpening,
  type Receiver,
} from '../payload/path/payload-opening.ts';
import { ArrivalCounter, type ArrivalTotals, PublisherSpans } from './counting/arrival-counter.ts';
import { makeDurations, makeReadingAge, RecentLatency, toHistogramJson } from './counting/histograms.ts';
import { ArrivalWindow } from './counting/throughput.ts';
import { drainPollMs, makeDrainCheck } from './pacing/drain.ts';
import { followTimeline, type Instants, type LoadPhase } from './pacing/timeline.ts';
import type { Carrier, LoadFigures, RoleLoad, RoleLoadOptions } from './role-load.ts';
import type { LoadSnapshot } from './worker-messages.ts';

/** All subscriptions in this worker. */
export class SubscriberLoad implements RoleLoad {
  readonly #options: RoleLoadOptions;
  readonly #totals: ArrivalTotals;
  readonly #opening: PayloadOpening | null;
  #cancel: () => void = () => {};
  #endNow: () => void = () => {};
  /** Number of parts of incomplete messages. */
  #pieces = 0;
  #started = false;
  #stopped = false;
  readonly #ended = Promise.withResolvers<void>();

  constructor(options: RoleLoadOptions) {
    this.#options = options;
    this.#totals = makeTotals(options.command.spec.publishers);
    this.#opening = makePayloadOpening(options);
  }

  attach(carrier: Carrier, _index: number): Traffic {
    const { spec, runTag, clock, share, mirror } = this.#options.command;
    const counter = new ArrivalCounter({
      runTag,
      // Round trips use a single clock only if the publishers are on this device.
      firstPublisher: mirror ? (share?.first ?? 0) : 0,
      publishers: spec.publishers,
      publishersOfRun: share?.publishers ?? spec.publishers,
      stamped: payloadBytesOf(spec) >= stampBytes,
      offsetUs: clock.offsetUs,
      totals: this.#totals,
    });
    const receiver = this.#opening?.makeReceiver(counter) ?? counter;
    return new Subscriber(receiver, carrier.writer, () => {
      this.#pieces += 1;
    });
  }

  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void {
    if (this.#started || this.#stopped) return;
    this.#started = true;
    const { clock } = this.#options;
    const { window } = this.#totals;
    window.open(instants);
    const enter = (phase: LoadPhase): void => {
      if (this.#stopped) return;
      if (phase === 'drain') window.close(clock.nowUs());
      onEnter(phase);
      if (phase === 'drain') this.stop();
    };
    const following = followTimeline(clock, instants, enter);
    this.#cancel = following.cancel;
    this.#endNow = () => {
      // The timer may be late, but measuring began on time.
      following.catchUp();
      enter('drain');
    };
  }

  lose(): void {}

  stop(): void {
    this.#stopped = true;
    this.#ended.resolve();
    this.#cancel();
  }

  /**
   * Waits until `expected` measured messages have arrived, nothing has arrived for a while, or the trial's
   * time is over.
   */
  async drain(expected: number | null): Promise<Drained> {
    // The publishers have finished: a load with a message count can therefore end early.
    if (endsEarly(this.#options.command.spec)) this.#endNow();
    await this.#ended.promise;
    const { spec } = this.#options.command;
    const totals = this.#totals;
    const complete = () => expected !== null && totals.received + totals.identifierReused >= expected;
    // A refused payload or a part of a message also shows that more messages may arrive.
    const seen = () => totals.all + (this.#opening?.refusedSoFar() ?? 0) + this.#pieces;
    const isOver = makeDrainCheck(spec, { expected, complete, seen });
    await poll(isOver, { everyMs: drainPollMs, timeoutMs: spec.drainTimeoutMs });
    return { messages: totals.received, timedOut: expected !== null && !complete() };
  }

  snapshot(): LoadSnapshot {
    const { received, all, recent } = this.#totals;
    return { messages: received, all, late: 0, latencyMs: recent.take() };
  }

  cutBucket(): LoadSnapshot['latencyMs'] {
    return this.#totals.recent.cutBucket();
  }

  figures(): LoadFigures {
    const totals = this.#totals;
    const latency = toHistogramJson(totals.latency);
    const readingAge = makeReadingAge(latency, this.#options.command.spec);
    const { refused, histograms } = this.#opening?.figures() ?? nothingRefused;
    return {
      counters: makeCounters({
        received: totals.received,
        ...refused,
        duplicate: totals.duplicate + refused.duplicate,
        reordered: totals.reordered,
        identifierReused: totals.identifierReused,
        unstamped: totals.unstamped,
        payloadBytesReceived: totals.payloadBytes,
      }),
      throughput: totals.window.figures(this.#options.command.clock.offsetUs),
      latency,
      histograms: { ...histograms, ...(readingAge && { readingAge }) },
      facts: totals.spans.facts(),
      degraded: this.#hasIntruders() ? [{ collector: 'messages', reason: intrusion(totals.foreign) }] : [],
    };
  }

  /**
   * Returns true if messages without a stamp from this run must be reported. An altered stamp that the cipher
   * does not detect looks like a stamp from another run.
   */
  #hasIntruders(): boolean {
    const { spec } = this.#options.command;
    return this.#totals.foreign > 0 && !(spec.alterEvery > 0 && lacksTag(spec));
  }
}

function makeTotals(publishers: number): ArrivalTotals {
  return {
    received: 0,
    all: 0,
    duplicate: 0,
    reordered: 0,
    identifierReused: 0,
    unstamped: 0,
    payloadBytes: 0,
    foreign: 0,
    latency: makeDurations(),
    recent: new RecentLatency(),
    spans: new PublisherSpans(publishers),
    window: new ArrivalWindow(),
  };
}

function intrusion(count: number): string {
  return `${count} messages without a stamp from this run arrived on the topic and were not counted. They are from another run or program, or were altered in transit.`;
}

/**
 * The receiving end of one subscription. At QoS 2, a message counts when its PUBLISH arrives. Its packet
 * identifier is stored until PUBREL, so that a repeated PUBLISH does not count twice (method A in MQTT 5
 * section 4.3.3). If a broker reuses an open identifier for another message, that message is lost: it is
 * discarded, as MQTT requires, and counted as discarded.
 */
class Subscriber {
  readonly #receiver: Receiver;
  readonly #replies: AcknowledgementWriter;
  readonly onPiece: () => void;
  /** Allocated for the first message at QoS 2. */
  #unreleased = new Uint8Array(0);

  constructor(receiver: Receiver, to: ByteWriter, onPiece: () => void) {
    this.#receiver = receiver;
    this.onPiece = onPiece;
    this.#replies = new AcknowledgementWriter(to);
  }

  onPublish(publish: IncomingPublish, atUs: number): void {
    const { qos, packetId } = publish;
    if (qos === 2) {
      if (this.#unreleased.length === 0) this.#unreleased = new Uint8Array(65_536);
      this.#replies.add(packetTypes.pubrec, packetId);
      if (this.#unreleased[packetId] === 1) {
        if (!publish.duplicate) this.#receiver.discard(publish);
        return;
      }
      this.#unreleased[packetId] = 1;
    } else if (qos === 1) {
      this.#replies.add(packetTypes.puback, packetId);
    }
    this.#receiver.add(publish, atUs);
  }

  /** Handles PUBREL, the only acknowledgement that a receiver receives. */
  onAcknowledgement(type: number, packetId: number): void {
    if (type !== packetTypes.pubrel) return;
    this.#unreleased[packetId] = 0;
    this.#replies.add(packetTypes.pubcomp, packetId);
  }

  afterChunk(): void {
    this.#replies.flush();
  }
}
