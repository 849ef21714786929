import { stampBytes } from '@mqttlab/shared/domain/plans/trial-spec';
import type { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import type { IncomingPublish } from '../../mqtt/packet-parser.ts';
import { makeStamp, readShortMark, readStamp } from '../../payload/stamp.ts';
import type { ArrivalWindow } from './arrival-window.ts';
import type { PublisherSpans } from './publisher-spans.ts';
import { arrivals, SequenceWindow } from './sequence-window.ts';

/** What all subscribers of a worker add up in. */
export interface ArrivalTotals {
  /** Different measured messages; `all` counts every PUBLISH of this Run. */
  received: number;
  all: number;
  duplicate: number;
  reordered: number;
  unstamped: number;
  payloadBytes: number;
  /** Messages of other Runs or other programs on the same topic. */
  foreign: number;
  readonly latency: LatencyHistogram;
  /** Emptied every second, for the live page. */
  readonly recent: LatencyHistogram;
  readonly spans: PublisherSpans;
  /** Of the measure phase. */
  readonly window: ArrivalWindow;
}

export interface ArrivalCounterOptions {
  runTag: number;
  /** Number of the first publisher that is accounted for, and how many there are. */
  firstPublisher: number;
  publishers: number;
  /** All publishers of the Run: messages of the others are passed over. */
  publishersOfRun: number;
  /** False when the payload of this Run is too short for a stamp. */
  stamped: boolean;
  /** Testbed µs minus local µs. */
  offsetUs: number;
  totals: ArrivalTotals;
}

/** Accounts for what arrives on one subscription: latency, duplicates, order. */
export class ArrivalCounter {
  readonly #options: ArrivalCounterOptions;
  readonly #stamp = makeStamp();
  readonly #windows: SequenceWindow[];
  /** Of the chunk that was read last; plain connections always read into the same one. */
  #source: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#source.buffer);

  constructor(options: ArrivalCounterOptions) {
    this.#options = options;
    this.#windows = Array.from({ length: options.publishers }, () => new SequenceWindow());
  }

  /** `atUs`: when the chunk that completed the message reached the application, local µs. */
  add(publish: IncomingPublish, atUs: number): void {
    const { totals, stamped, runTag, offsetUs, firstPublisher, publishersOfRun } = this.#options;
    if (!stamped) {
      this.#addUnstamped(publish, atUs);
      return;
    }
    const { source, payloadAt } = publish;
    if (this.#source !== source) {
      this.#source = source;
      this.#view = new DataView(source.buffer, source.byteOffset, source.byteLength);
    }
    const stamp = this.#stamp;
    const readable =
      publish.payloadBytes >= stampBytes &&
      payloadAt + stampBytes <= publish.keptUntil &&
      readStamp(this.#view, payloadAt, stamp);
    const own = readable && stamp.runTag === runTag;
    const window = own ? this.#windows[stamp.publisher - firstPublisher] : undefined;
    if (window === undefined) {
      if (!own || stamp.publisher >= publishersOfRun) totals.foreign += 1;
      return;
    }
    totals.all += 1;
    const arrival = window.add(stamp.sequence);
    if (arrival === arrivals.duplicate) {
      if (stamp.measured) totals.duplicate += 1;
      return;
    }
    totals.window.add(atUs, publish.payloadBytes, stamp.measured);
    if (!stamp.measured) return;
    if (arrival === arrivals.reordered) totals.reordered += 1;
    totals.received += 1;
    totals.payloadBytes += publish.payloadBytes;
    const arrivedUs = atUs + offsetUs;
    const latencyUs = arrivedUs - stamp.intendedUs;
    totals.latency.record(latencyUs);
    totals.recent.record(latencyUs);
    totals.spans.add(stamp.publisher - firstPublisher, stamp.intendedUs, arrivedUs);
  }

  #addUnstamped(publish: IncomingPublish, atUs: number): void {
    const { totals } = this.#options;
    const measured = publish.payloadBytes > 0 ? readShortMark(publish.source[publish.payloadAt]!) : null;
    if (measured === null) {
      totals.foreign += 1;
      return;
    }
    totals.all += 1;
    totals.window.add(atUs, publish.payloadBytes, measured);
    if (!measured) return;
    totals.received += 1;
    totals.unstamped += 1;
    totals.payloadBytes += publish.payloadBytes;
  }
}
