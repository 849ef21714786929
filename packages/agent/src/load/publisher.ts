import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { AcknowledgementWriter, PacketIds } from '../mqtt/acknowledgements.ts';
import { packetTypes } from '../mqtt/packet-parser.ts';
import {
  BufferPool,
  type ByteWriter,
  type Loan,
  makePublishTemplate,
  type PublishTemplate,
} from '../mqtt/packets.ts';
import { makePayloadSealing, type PayloadSeal } from '../payload/path/payload-sealing.ts';
import { makeStamp, shortMarkOf, writeStamp } from '../payload/stamp.ts';
import { makeDurations, toHistogramJson, toHistogramsJson } from './counting/histograms.ts';
import { SentWindow } from './counting/throughput.ts';
import type { MicrosecondClock } from './pacing/clock.ts';
import { dueCount, dueCountBefore, dueUsOf, type Schedule } from './pacing/schedule.ts';
import type { Instants } from './pacing/timeline.ts';
import type { LoadFigures, RoleLoadOptions } from './role-load.ts';

/** Totals of all publishers in a worker. */
export interface SendingTotals {
  /** Number of measured messages; `all` includes warm-up. */
  sent: number;
  all: number;
  acknowledged: number;
  /** Number of received acknowledgements of any kind. */
  replies: number;
  /** Number of writes without a callback yet. */
  unwritten: number;
  late: number;
  payloadBytes: number;
  /** MQTT 5 acknowledgements that report a refusal. */
  refused: number;
  /** Counts in the measure phase. */
  readonly window: SentWindow;
  readonly lateness: LatencyHistogram;
  /** Latency from due time to acknowledgement; empty at QoS 0. */
  readonly exchange: LatencyHistogram;
}

interface PublisherOptions {
  /** The worker's command and clock. */
  load: RoleLoadOptions;
  /** Index on this device, which determines the publisher's turn. */
  index: number;
  template: PublishTemplate;
  /** null if payloads are not encrypted, in which case only the stamp is written. */
  seal: PayloadSeal | null;
  pool: BufferPool<Publisher>;
  to: ByteWriter;
  totals: SendingTotals;
  /** Called when the publisher can send again. */
  onFree: (publisher: Publisher) => void;
}

/** Messages from `firstMeasured` on are measured; `end` is the first message that is never sent. */
export interface SendingPlan {
  /** null if messages are sent as fast as possible. */
  schedule: Schedule | null;
  firstMeasured: number;
  end: number;
  /** Maximum number of messages in flight at QoS 1 and 2. */
  window: number;
}

/** The messages on one connection, as paced by a load. Times are in µs on the local clock. */
export interface PacedPublisher {
  /** True if due messages wait for an acknowledgement or for the socket. */
  readonly blocked: boolean;
  readonly inFlight: number;
  /** True if nothing is left to send. */
  readonly finished: boolean;
  /** True if messages wait for a write without a callback yet. */
  readonly waitsForWrite: boolean;
  open(plan: SendingPlan): void;
  /** Sends as fast as possible, until closed. */
  openUnpaced(window: number): void;
  /** Measures from the next message on, either the given number of messages or without a limit. */
  measureFromNow(messages: number | null): void;
  /** Sends everything that is due and has room. */
  pump(nowUs: number): void;
  /** Sends messages that are due and were delayed only by this process. */
  pumpLast(nowUs: number): void;
  /** Stops sending; returns the number of measured messages that were due but never sent. */
  close(): number;
}

/**
 * Maximum number of writes passed to the socket without a callback yet. On a schedule, each message is
 * written at its due time. As fast as possible, one write is always queued behind the write in the kernel. At
 * the end, every due message is written.
 */
const maxWrites = { paced: 1, unpaced: 2, last: 64 };

/**
 * The messages on one connection, from the first due time to the last acknowledgement. Times are in µs on the
 * local clock.
 */
export class Publisher implements PacedPublisher {
  readonly #options: PublisherOptions;
  readonly #clock: MicrosecondClock;
  readonly #qos: number;
  /** Testbed clock minus the local clock, in µs. */
  readonly #offsetUs: number;
  readonly #ids = new PacketIds();
  readonly #replies: AcknowledgementWriter;
  readonly #stamp = makeStamp();
  readonly #packetBytes: number;
  readonly #perBuffer: number;
  /** null while nothing is sent, and if messages are sent as fast as possible. */
  #schedule: Schedule | null = null;
  #next = 0;
  #firstMeasured = 0;
  #end = 0;
  #window = 0;
  #writes = 0;
  #blocked = false;
  /** Arrival time of the current chunk; 0 until an acknowledgement in the chunk needs it. */
  #chunkUs = 0;

  constructor(options: PublisherOptions) {
    const { command, clock } = options.load;
    this.#options = options;
    this.#clock = clock;
    this.#qos = command.spec.qos;
    this.#offsetUs = command.clock.offsetUs;
    this.#replies = new AcknowledgementWriter(options.to);
    this.#packetBytes = options.template.packet.length;
    const { mostPerWrite = Number.POSITIVE_INFINITY } = options.load;
    this.#perBuffer = Math.min(mostPerWrite, packetsPerBuffer(this.#packetBytes));
    this.#stamp.runTag = command.runTag;
    // Index among all publishers in the run.
    this.#stamp.publisher = (command.share?.first ?? 0) + options.index;
  }

  get blocked(): boolean {
    return this.#blocked;
  }

  get inFlight(): number {
    return this.#ids.inFlight;
  }

  open(plan: SendingPlan): void {
    this.#schedule = plan.schedule;
    this.#firstMeasured = plan.firstMeasured;
    this.#end = plan.end;
    this.#window = plan.window;
  }

  openUnpaced(window: number): void {
    const never = Number.MAX_SAFE_INTEGER;
    this.open({ schedule: null, firstMeasured: never, end: never, window });
  }

  measureFromNow(messages: number | null = null): void {
    this.#firstMeasured = this.#next;
    if (messages !== null) this.#end = this.#next + messages;
  }

  get finished(): boolean {
    return this.#next >= this.#end;
  }

  /**
   * True if messages wait for a write without a callback: either the socket is full, or the next turn sends
   * them.
   */
  get waitsForWrite(): boolean {
    return this.#writes > 0 && !this.finished;
  }

  /** Writes messages that are due and were delayed only by this process, unless the socket is full. */
  pumpLast(nowUs: number): void {
    if (this.#writes === 0) this.#pump(nowUs, maxWrites.last);
  }

  close(): number {
    const unsent = this.#schedule === null ? 0 : this.#end - Math.max(this.#next, this.#firstMeasured);
    this.#end = 0;
    this.#blocked = false;
    return Math.max(0, unsent);
  }

  pump(nowUs: number): void {
    this.#pump(nowUs, this.#schedule === null ? maxWrites.unpaced : maxWrites.paced);
  }

  /** Returns true if the next message is due; with "as fast as possible", always true until closed. */
  isDue(nowUs: number): boolean {
    const due = this.#schedule === null ? this.#end : dueCount(this.#schedule, this.#options.index, nowUs);
    return this.#next < Math.min(this.#end, due);
  }

  get nextIsMeasured(): boolean {
    return this.#next >= this.#firstMeasured;
  }

  /**
   * Writes only the next message; `beganUs` is the time at which sending began, including the opening of its
   * connection.
   */
  sendOne(beganUs: number): void {
    this.#send(1, beganUs);
  }

  /** Abandons the next message. */
  skipOne(): void {
    this.#next += 1;
  }

  /** Handles PUBACK, PUBREC or PUBCOMP. */
  onAcknowledgement(type: number, packetId: number, reasonCode: number): void {
    const refused = reasonCode >= 0x80;
    this.#options.totals.replies += 1;
    if (type === packetTypes.pubrec && !refused) {
      if (this.#ids.release(packetId)) this.#replies.add(packetTypes.pubrel, packetId);
      return;
    }
    const measured = this.#ids.close(packetId);
    if (refused) this.#options.totals.refused += 1;
    else if (measured > 0) {
      if (this.#chunkUs === 0) this.#chunkUs = this.#clock.nowUs();
      this.#options.totals.acknowledged += 1;
      this.#options.totals.exchange.record(this.#chunkUs - this.#ids.dueUsOf(packetId));
    }
  }

  /** Never called, because a publisher does not subscribe. */
  onPublish(): void {}

  /** Called after a chunk of the stream has been parsed. */
  afterChunk(): void {
    this.#chunkUs = 0;
    this.#replies.flush();
    if (this.#blocked) this.#options.onFree(this);
  }

  onWritten(): void {
    this.#writes -= 1;
    this.#options.totals.unwritten -= 1;
    if (this.#blocked) this.#options.onFree(this);
  }

  #pump(nowUs: number, most: number): void {
    const { index } = this.#options;
    const schedule = this.#schedule;
    let atUs = nowUs;
    this.#blocked = false;
    for (;;) {
      const due = schedule === null ? this.#end : Math.min(this.#end, dueCount(schedule, index, atUs));
      const waiting = due - this.#next;
      if (waiting <= 0) return;
      const room = this.#qos === 0 ? waiting : Math.min(waiting, this.#window - this.#ids.inFlight);
      if (room <= 0 || this.#writes >= most) {
        this.#blocked = true;
        return;
      }
      this.#send(Math.min(room, this.#perBuffer), atUs);
      atUs = this.#clock.nowUs();
    }
  }

  #send(count: number, nowUs: number): void {
    const { pool, to, totals, template } = this.#options;
    const loan = pool.take(this);
    const firstMeasured = Math.min(count, Math.max(0, this.#firstMeasured - this.#next));
    for (let i = 0; i < count; i += 1) this.#write(loan, i * this.#packetBytes, nowUs);
    totals.all += count;
    totals.window.add(count, nowUs);
    totals.sent += count - firstMeasured;
    totals.payloadBytes += (count - firstMeasured) * template.payloadBytes;
    this.#writes += 1;
    totals.unwritten += 1;
    to.write(loan.first(count * this.#packetBytes), loan.giveBack);
  }

  #write(loan: Loan<Publisher>, at: number, nowUs: number): void {
    const { index, template, seal, totals } = this.#options;
    const k = this.#next;
    this.#next = k + 1;
    const measured = k >= this.#firstMeasured;
    let intendedUs = nowUs;
    if (this.#schedule !== null) {
      intendedUs = dueUsOf(this.#schedule, index, k);
      if (measured) {
        const latenessUs = nowUs - intendedUs;
        totals.lateness.record(latenessUs);
        if (latenessUs > lateAfterUs) totals.late += 1;
      }
    }
    if (this.#qos > 0) loan.view.setUint16(at + template.packetIdAt, this.#ids.open(measured, intendedUs));
    const payloadAt = at + template.payloadAt;
    if (template.stamped) {
      this.#stamp.measured = measured;
      this.#stamp.sequence = k;
      this.#stamp.intendedUs = intendedUs + this.#offsetUs;
      if (seal === null) writeStamp(loan.view, payloadAt, this.#stamp);
      else writeStamp(seal.view, 0, this.#stamp);
    } else {
      if (seal === null) loan.bytes[payloadAt] = shortMarkOf(measured);
      else seal.plain[0] = shortMarkOf(measured);
    }
    if (seal !== null) seal.write(loan.bytes, payloadAt, measured);
  }
}

/** Approximate size of one write: large enough to be efficient, small enough to keep stamps recent. */
const bufferBytes = 65_536;

export function packetsPerBuffer(packetBytes: number): number {
  return Math.max(1, Math.floor(bufferBytes / packetBytes));
}

/** A message counts as late if it is written later than this after its due time. */
export const lateAfterUs = 1_000;

/** Shared state of all publishers in a worker, and the function that makes a publisher. */
export interface Sending<Made extends PacedPublisher = Publisher> {
  totals: Pick<SendingTotals, 'sent' | 'all' | 'late' | 'unwritten' | 'replies' | 'window'>;
  /** True if acknowledgements must be answered while messages are paced, which requires a separate thread. */
  ownThread: boolean;
  /** If messages are sent as fast as possible, acknowledgements are ignored for a while. */
  backsOff: boolean;
  makePublisher: (of: { index: number; to: ByteWriter; onFree: () => void }) => Made;
  /** Number of altered messages in the measure phase, which no subscriber may accept. */
  altered: () => number;
  /** `unsent` counts messages that were due in the measure phase but never sent. */
  figures: (unsent: number) => LoadFigures;
}

/**
 * Returns the plan of one publisher on a schedule; `messages` is null for as many as fit into the measure
 * phase.
 */
export function planSending(
  schedule: Schedule,
  {
    index,
    instants,
    messages,
    window,
  }: { index: number; instants: Instants; messages: number | null; window: number },
): SendingPlan {
  const firstMeasured = dueCountBefore(schedule, index, instants.measureAtUs);
  const max = firstMeasured + (messages ?? Number.POSITIVE_INFINITY);
  return {
    schedule,
    firstMeasured,
    end: Math.min(dueCountBefore(schedule, index, instants.stopAtUs), max),
    window,
  };
}

export function makeSending(options: RoleLoadOptions): Sending {
  const { command } = options;
  const { spec, runTag } = command;
  const totals: SendingTotals = {
    sent: 0,
    all: 0,
    acknowledged: 0,
    replies: 0,
    unwritten: 0,
    late: 0,
    payloadBytes: 0,
    refused: 0,
    window: new SentWindow(),
    lateness: makeDurations(),
    exchange: makeDurations(),
  };
  const template = makePublishTemplate(spec, runTag);
  const { packet } = template;
  const pool = new BufferPool<Publisher>({
    bufferBytes: packet.length * packetsPerBuffer(packet.length),
    fill: (bytes) => {
      for (let at = 0; at < bytes.length; at += packet.length) bytes.set(packet, at);
    },
    onReturned: (publisher) => publisher.onWritten(),
  });
  const sealing = makePayloadSealing({ ...options, template });
  return {
    totals,
    ownThread: spec.qos === 2,
    backsOff: spec.qos > 0,
    makePublisher: (of) =>
      new Publisher({ ...of, load: options, template, seal: sealing?.makeSeal() ?? null, pool, totals }),
    altered: () => sealing?.altered() ?? 0,
    figures(unsent) {
      const figures = describeSending(totals, unsent);
      const carriedBytesSent = totals.sent * template.carriedBytes;
      const { histograms = {}, ...sealed } = sealing?.figures() ?? {};
      return {
        ...figures,
        ...sealed,
        throughput: totals.window.figures(command.clock.offsetUs),
        counters: { ...figures.counters, carriedBytesSent, altered: sealing?.altered() ?? 0 },
        histograms: { ...figures.histograms, ...histograms },
      };
    },
  };
}

function describeSending(totals: SendingTotals, unsent: number): LoadFigures {
  const { sent, acknowledged, late, payloadBytes, refused, lateness } = totals;
  return {
    counters: makeCounters({ sent, acknowledged, late, unsent, payloadBytesSent: payloadBytes }),
    lateness: toHistogramJson(lateness),
    histograms: toHistogramsJson({ exchange: totals.exchange }),
    degraded: refused === 0 ? [] : [{ collector: 'acknowledgements', reason: refusal(refused) }],
  };
}

function refusal(count: number): string {
  return `The broker refused ${count} messages in its acknowledgements.`;
}
