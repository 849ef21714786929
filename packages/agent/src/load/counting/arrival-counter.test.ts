import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, it } from 'vitest';
import type { IncomingPublish } from '../../mqtt/packet-parser.ts';
import { makeStamp, type Stamp, shortMarkOf, writeStamp } from '../../payload/stamp.ts';
import {
  ArrivalCounter,
  type ArrivalTotals,
  arrivals,
  PublisherSpans,
  SequenceWindow,
} from './arrival-counter.ts';
import { RecentLatency } from './histograms.ts';
import { ArrivalWindow } from './throughput.ts';

const runTag = 77;

function makeTotals(): ArrivalTotals {
  return {
    received: 0,
    all: 0,
    duplicate: 0,
    reordered: 0,
    identifierReused: 0,
    unstamped: 0,
    payloadBytes: 0,
    foreign: 0,
    latency: new LatencyHistogram(),
    recent: new RecentLatency(),
    spans: new PublisherSpans(2),
    window: new ArrivalWindow(),
  };
}

function publishOf(payload: Uint8Array): IncomingPublish {
  return {
    source: payload,
    qos: 0,
    duplicate: false,
    retain: false,
    packetId: 0,
    topicAt: 0,
    topicBytes: 0,
    payloadAt: 0,
    payloadBytes: payload.length,
    retainedUntil: payload.length,
  };
}

function stamped(change: Partial<Stamp>, payloadBytes = 100): IncomingPublish {
  const payload = new Uint8Array(payloadBytes);
  writeStamp(new DataView(payload.buffer), 0, {
    ...makeStamp(),
    runTag,
    measured: true,
    intendedUs: 0,
    ...change,
  });
  return publishOf(payload);
}

function count(
  publishes: readonly IncomingPublish[],
  change: { stamped?: boolean; publishers?: number; firstPublisher?: number; publishersOfRun?: number } = {},
) {
  const totals = makeTotals();
  const counter = new ArrivalCounter({
    runTag,
    firstPublisher: 0,
    publishers: 2,
    publishersOfRun: 2,
    stamped: true,
    offsetUs: 0,
    totals,
    ...change,
  });
  for (const publish of publishes) counter.add(publish, 1_000);
  return totals;
}

describe('ArrivalCounter', () => {
  it('counts each measured message once, in any order and however often it arrives', () => {
    const sequences = [0, 1, 3, 2, 3, 5, 5, 5, 4];
    const totals = count(sequences.map((sequence) => stamped({ sequence })));
    expect(totals).toMatchObject({ received: 6, duplicate: 3, reordered: 2, all: 9, payloadBytes: 600 });
    expect(totals.latency.count).toBe(6);
  });

  it('ignores publishers of other devices if only those of its device count', () => {
    const from = (publisher: number) => stamped({ publisher, sequence: 0 });
    const share = { firstPublisher: 1, publishers: 2, publishersOfRun: 4 };
    expect(count([0, 1, 2, 3, 4].map(from), share)).toMatchObject({ received: 2, all: 2, foreign: 1 });
  });

  it('keeps the publishers apart', () => {
    const totals = count([0, 1, 0, 1].map((publisher) => stamped({ publisher, sequence: 0 })));
    expect(totals).toMatchObject({ received: 2, duplicate: 2 });
  });

  it('does not count warm-up, but tracks its numbers', () => {
    const totals = count([
      stamped({ sequence: 0, measured: false }),
      stamped({ sequence: 2 }),
      stamped({ sequence: 1, measured: false }),
    ]);
    expect(totals).toMatchObject({ received: 1, reordered: 0, all: 3 });
  });

  it('counts latency from the intended time, on the testbed clock', () => {
    const totals = makeTotals();
    const counter = new ArrivalCounter({
      runTag,
      firstPublisher: 0,
      publishers: 1,
      publishersOfRun: 1,
      stamped: true,
      offsetUs: 5_000_000,
      totals,
    });
    counter.add(stamped({ intendedUs: 5_000_400 }), 1_000);
    expect(totals.latency.minUs).toBeCloseTo(600, 6);
  });

  it('does not count messages of other runs and programs', () => {
    const others = [
      stamped({ runTag: 78 }),
      stamped({ publisher: 2 }),
      publishOf(new Uint8Array(100)),
      publishOf(new Uint8Array(3)),
    ];
    expect(count(others)).toMatchObject({ foreign: 4, received: 0, all: 0, unstamped: 0 });
  });

  it('does not time messages with an implausible altered time', () => {
    const day = 24 * 3600 * 1e6;
    const totals = count([stamped({ intendedUs: 2 ** 62 }), stamped({ intendedUs: -2 * day }), stamped({})]);
    expect(totals).toMatchObject({ foreign: 2, received: 1 });
    expect(totals.latency.count).toBe(1);
  });

  it('counts payloads too short for a stamp without latency', () => {
    const payloads = [shortMarkOf(true), shortMarkOf(false), shortMarkOf(true), 0x42];
    const totals = count(
      payloads.map((mark) => publishOf(Uint8Array.of(mark, 1, 2))),
      { stamped: false },
    );
    expect(totals).toMatchObject({ received: 2, unstamped: 2, all: 3, foreign: 1, payloadBytes: 6 });
    expect(totals.latency.count).toBe(0);
  });
});

/** Expected result from RFC 4737 and plain counting, with all numbers stored. */
class Naive {
  readonly #seen = new Set<number>();
  #newest = -1;

  add(sequence: number): number {
    if (this.#seen.has(sequence)) return arrivals.duplicate;
    this.#seen.add(sequence);
    if (sequence < this.#newest) return arrivals.reordered;
    this.#newest = sequence;
    return arrivals.new;
  }
}

describe('SequenceWindow', () => {
  it('classifies new, reordered and duplicate messages like a set of all numbers', () => {
    const jumps = fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -3_000, max: 5_000 }));
    fc.assert(
      fc.property(fc.array(jumps, { maxLength: 400 }), (steps) => {
        const window = new SequenceWindow();
        const naive = new Naive();
        let at = 0;
        for (const step of steps) {
          at = Math.max(0, at + step);
          expect(window.add(at)).toBe(naive.add(at));
        }
      }),
    );
  });

  it('uses no memory for a long run without gaps', () => {
    const window = new SequenceWindow();
    let others = 0;
    for (let i = 0; i < 300_000; i += 1) others += window.add(i) === arrivals.new ? 0 : 1;
    expect(others).toBe(0);
    expect(window.add(0)).toBe(arrivals.duplicate);
    expect(window.add(299_999)).toBe(arrivals.duplicate);
  });

  it('still tracks a number that is two million late, and counts an older one as a duplicate', () => {
    const window = new SequenceWindow();
    window.add(0);
    window.add(2_000_000);
    expect(window.add(1)).toBe(arrivals.reordered);
    expect(window.add(1)).toBe(arrivals.duplicate);
    window.add(4_294_967_295);
    expect(window.add(4_294_967_294)).toBe(arrivals.reordered);
    expect(window.add(2)).toBe(arrivals.duplicate);
  });
});

it('reports the run time of a publisher and the difference of its latency from the others', () => {
  const spans = new PublisherSpans(3);
  spans.add(0, 1_000, 3_000);
  spans.add(0, 5_000, 11_000);
  spans.add(2, 2_000, 10_000);
  // Publisher 0: 10 ms from first to last, 4 ms a message; publisher 2: 8 ms and 8 ms; nothing arrived from 1.
  // Together: from the first due time of any (1 ms) to the last arrival of any (11 ms); 200 and 125 messages/s.
  expect(spans.facts()).toEqual({
    'publishers.runTimeMs': 9,
    'publishers.totalRunTimeMs': 10,
    'publishers.rate': 162.5,
    'publishers.meanLatencySdMs': expect.closeTo(Math.sqrt(8), 9),
  });
});

it('reports nothing for a single publisher', () => {
  const spans = new PublisherSpans(1);
  spans.add(0, 0, 5_000);
  expect(spans.facts()).toEqual({});
});
