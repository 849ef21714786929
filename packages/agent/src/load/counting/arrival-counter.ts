// biome-ignore-all lint/style/noNonNullAssertion: indices run within the length of their array

import { stampBytes } from '@mqttlab/shared/domain/plans/trial-levels';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { mean, standardDeviation } from '@mqttlab/shared/statistics/descriptive/summary';
import type { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import type { IncomingPublish } from '../../mqtt/packet-parser.ts';
import { makeStamp, readShortMark, readStamp } from '../../payload/stamp.ts';
import type { RecentLatency } from './histograms.ts';
import type { ArrivalWindow } from './throughput.ts';

/** A stamp that is further away was altered in transit, which a cipher without a tag does not detect. */
const longestRunUs = 24 * 3600 * 1e6;

/** Totals of all subscribers in a worker. */
export interface ArrivalTotals {
  /** Distinct measured messages; `all` counts every PUBLISH in this run. */
  received: number;
  all: number;
  duplicate: number;
  reordered: number;
  /** Measured messages discarded because their packet identifier was in use. */
  identifierReused: number;
  unstamped: number;
  payloadBytes: number;
  /** Messages from other runs or other programs on the same topic. */
  foreign: number;
  readonly latency: LatencyHistogram;
  readonly recent: RecentLatency;
  readonly spans: PublisherSpans;
  /** Counts in the measure phase. */
  readonly window: ArrivalWindow;
}

export interface ArrivalCounterOptions {
  runTag: number;
  /** Index of the first publisher to count, and the number of publishers. */
  firstPublisher: number;
  publishers: number;
  /** Number of publishers in the run; messages from publishers outside the range are ignored. */
  publishersOfRun: number;
  /** False if the payload in this run is too short for a stamp. */
  stamped: boolean;
  /** Testbed clock minus the local clock, in µs. */
  offsetUs: number;
  totals: ArrivalTotals;
}

/** Counts the messages on one subscription: latency, duplicates, order. */
export class ArrivalCounter {
  readonly #options: ArrivalCounterOptions;
  readonly #stamp = makeStamp();
  readonly #windows: SequenceWindow[];
  /** The last chunk that was read; connections without TLS reuse the same buffer. */
  #source: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#source.buffer);

  constructor(options: ArrivalCounterOptions) {
    this.#options = options;
    this.#windows = Array.from({ length: options.publishers }, () => new SequenceWindow());
  }

  /**
   * `atUs` is the time at which the chunk that completed the message reached the application, in µs on the
   * local clock.
   */
  add(publish: IncomingPublish, atUs: number): void {
    const { totals, stamped, runTag, offsetUs, firstPublisher, publishersOfRun } = this.#options;
    if (!stamped) {
      this.#addUnstamped(publish, atUs);
      return;
    }
    const stamp = this.#stamp;
    const isStamped = this.#readStamp(publish) && stamp.runTag === runTag;
    const arrivedUs = atUs + offsetUs;
    const latencyUs = arrivedUs - stamp.intendedUs;
    const own = isStamped && Math.abs(latencyUs) < longestRunUs;
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
    totals.latency.record(latencyUs);
    totals.recent.record(latencyUs);
    totals.spans.add(stamp.publisher - firstPublisher, stamp.intendedUs, arrivedUs);
  }

  /** Counts a message that must be discarded under MQTT, if it is a measured message. */
  discard(publish: IncomingPublish): void {
    const { totals, stamped, runTag } = this.#options;
    totals.all += 1;
    const isMeasured = stamped
      ? this.#readStamp(publish) && this.#stamp.runTag === runTag && this.#stamp.measured
      : publish.payloadBytes > 0 && readShortMark(publish.source[publish.payloadAt]!) === true;
    if (isMeasured) totals.identifierReused += 1;
  }

  /** Reads the stamp of a message; returns false if it has none. */
  #readStamp({ source, payloadAt, payloadBytes, retainedUntil }: IncomingPublish): boolean {
    if (this.#source !== source) {
      this.#source = source;
      this.#view = new DataView(source.buffer, source.byteOffset, source.byteLength);
    }
    return (
      payloadBytes >= stampBytes &&
      payloadAt + stampBytes <= retainedUntil &&
      readStamp(this.#view, payloadAt, this.#stamp)
    );
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

export const arrivals = { new: 0, reordered: 1, duplicate: 2 } as const;
export type Arrival = (typeof arrivals)[keyof typeof arrivals];

/** Maximum number of 32-bit words, with one bit per sequence number: 2,097,152 numbers before the newest, 256 KiB. */
const maxWords = 65_536;
const minWords = 4;

/**
 * Received sequence numbers from one publisher: a bitmap from the oldest missing number to the newest. It
 * grows with the gap between these two numbers. A number older than the longest gap counts as a duplicate. At
 * that distance, it cannot be distinguished from a late message, which TCP would have abandoned long before.
 */
export class SequenceWindow {
  #bits = new Uint32Array(minWords);
  /**
   * Word number (sequence / 32) of the oldest stored word; the word's index in the ring is `word & (length -
   * 1)`.
   */
  #oldest = 0;
  /** Highest received number. */
  #newest = -1;

  /** Records an arrival. A message is reordered if a higher number arrived before it (RFC 4737 section 3). */
  add(sequence: number): Arrival {
    const word = Math.floor(sequence / 32);
    if (word < this.#oldest) return arrivals.duplicate;
    if (word - this.#oldest >= this.#bits.length) this.#makeRoom(word);
    const place = word & (this.#bits.length - 1);
    const bit = 1 << (sequence & 31);
    if ((this.#bits[place]! & bit) !== 0) return arrivals.duplicate;
    this.#bits[place]! |= bit;
    if (this.#bits[place] === 0xffff_ffff && word === this.#oldest) this.#dropFull();
    if (sequence < this.#newest) return arrivals.reordered;
    this.#newest = sequence;
    return arrivals.new;
  }

  #dropFull(): void {
    const mask = this.#bits.length - 1;
    while (this.#bits[this.#oldest & mask] === 0xffff_ffff) {
      this.#bits[this.#oldest & mask] = 0;
      this.#oldest += 1;
    }
  }

  #makeRoom(word: number): void {
    const needed = word - this.#oldest + 1;
    if (this.#bits.length < maxWords && needed > this.#bits.length) this.#grow(Math.min(needed, maxWords));
    // The number is still too far ahead, so the oldest words are dropped.
    const mask = this.#bits.length - 1;
    const oldest = word - mask;
    if (oldest - this.#oldest > mask) this.#bits.fill(0);
    else for (let w = this.#oldest; w < oldest; w += 1) this.#bits[w & mask] = 0;
    this.#oldest = Math.max(this.#oldest, oldest);
  }

  #grow(words: number): void {
    let length = this.#bits.length;
    while (length < words) length *= 2;
    const bits = new Uint32Array(length);
    for (let i = 0; i < this.#bits.length; i += 1) {
      const word = this.#oldest + i;
      bits[word & (length - 1)] = this.#bits[word & (this.#bits.length - 1)]!;
    }
    this.#bits = bits;
  }
}

/**
 * Latency of each publisher's messages, in total and per publisher. Includes only measured messages and uses
 * the testbed clock.
 */
export class PublisherSpans {
  readonly #counts: Float64Array;
  readonly #latencyUs: Float64Array;
  readonly #firstUs: Float64Array;
  readonly #lastUs: Float64Array;

  constructor(publishers: number) {
    this.#counts = new Float64Array(publishers);
    this.#latencyUs = new Float64Array(publishers);
    this.#firstUs = new Float64Array(publishers).fill(Number.POSITIVE_INFINITY);
    this.#lastUs = new Float64Array(publishers);
  }

  /** `publisher` is counted from the first publisher in the range. */
  add(publisher: number, dueUs: number, arrivedUs: number): void {
    this.#counts[publisher]! += 1;
    this.#latencyUs[publisher]! += arrivedUs - dueUs;
    if (dueUs < this.#firstUs[publisher]!) this.#firstUs[publisher] = dueUs;
    if (arrivedUs > this.#lastUs[publisher]!) this.#lastUs[publisher] = arrivedUs;
  }

  /**
   * Returns the spread of latency over the subscribers that received messages; empty if there are fewer than
   * two.
   */
  facts(): RoleResult['environment'] {
    const active = [...this.#counts.keys()].filter((index) => this.#counts[index]! > 0);
    if (active.length < 2) return {};
    const runTimesMs = active.map((index) => (this.#lastUs[index]! - this.#firstUs[index]!) / 1e3);
    const firstUs = Math.min(...active.map((index) => this.#firstUs[index]!));
    const lastUs = Math.max(...active.map((index) => this.#lastUs[index]!));
    const rates = active.flatMap((index, at) =>
      runTimesMs[at]! > 0 ? [(1000 * this.#counts[index]!) / runTimesMs[at]!] : [],
    );
    const meansMs = active.map((index) => this.#latencyUs[index]! / this.#counts[index]! / 1e3);
    return {
      'publishers.runTimeMs': mean(runTimesMs),
      'publishers.totalRunTimeMs': (lastUs - firstUs) / 1e3,
      'publishers.rate': mean(rates),
      'publishers.meanLatencySdMs': standardDeviation(meansMs),
    };
  }
}
