import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { describe, expect, it } from 'vitest';
import type { IncomingPublish } from '../../mqtt/packet-parser.ts';
import { makeStamp, type Stamp, shortMarkOf, writeStamp } from '../../payload/stamp.ts';
import { ArrivalCounter, type ArrivalTotals } from './arrival-counter.ts';
import { ArrivalWindow } from './arrival-window.ts';
import { PublisherSpans } from './publisher-spans.ts';

const runTag = 77;

function makeTotals(): ArrivalTotals {
  const [latency, recent] = [new LatencyHistogram(), new LatencyHistogram()];
  return {
    received: 0,
    all: 0,
    duplicate: 0,
    reordered: 0,
    unstamped: 0,
    payloadBytes: 0,
    foreign: 0,
    latency,
    recent,
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
    keptUntil: payload.length,
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
  it('counts each measured message once, whatever order and how often it comes', () => {
    const sequences = [0, 1, 3, 2, 3, 5, 5, 5, 4];
    const totals = count(sequences.map((sequence) => stamped({ sequence })));
    expect(totals).toMatchObject({ received: 6, duplicate: 3, reordered: 2, all: 9, payloadBytes: 600 });
    expect(totals.latency.count).toBe(6);
  });

  it('passes over publishers of other devices where only its own are to be heard', () => {
    const from = (publisher: number) => stamped({ publisher, sequence: 0 });
    const share = { firstPublisher: 1, publishers: 2, publishersOfRun: 4 };
    expect(count([0, 1, 2, 3, 4].map(from), share)).toMatchObject({ received: 2, all: 2, foreign: 1 });
  });

  it('keeps the publishers apart', () => {
    const totals = count([0, 1, 0, 1].map((publisher) => stamped({ publisher, sequence: 0 })));
    expect(totals).toMatchObject({ received: 2, duplicate: 2 });
  });

  it('lets warm-up pass uncounted, but knows its numbers', () => {
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

  it('does not count what other runs and programs send', () => {
    const others = [
      stamped({ runTag: 78 }),
      stamped({ publisher: 2 }),
      publishOf(new Uint8Array(100)),
      publishOf(new Uint8Array(3)),
    ];
    expect(count(others)).toMatchObject({ foreign: 4, received: 0, all: 0, unstamped: 0 });
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
