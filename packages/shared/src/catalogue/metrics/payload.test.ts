import { expect, it } from 'vitest';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { changeRole, makeEvidence } from '../../testing/evidence.ts';
import { makeCounters, makeTrialSpec } from '../../testing/factories.ts';
import { summariseMetrics } from '../metrics.ts';

function timesOf(count: number, us: number) {
  const histogram = new LatencyHistogram({ lowest: 0.01, highest: 1e7, significantDigits: 3 });
  for (let i = 0; i < count; i += 1) histogram.record(us);
  const { min, max, ...json } = histogram.toJson();
  return { ...json, min, max };
}

function evidenceWith(timed: number) {
  const spec = makeTrialSpec({ readingBytes: 100, payloadCipher: 'aes-256-gcm' });
  const sent = changeRole({ ...makeEvidence(), spec }, 'publisher', {
    counters: makeCounters({ sent: 1000, carriedBytesSent: 128_000 }),
    histograms: { encryption: timesOf(timed, 2.5) },
    randomness: [{ test: 'monobit', messages: 50, passed: 49, meanP: 0.48 }],
  });
  return changeRole(sent, 'subscriber', {
    counters: makeCounters({ received: 998, unauthentic: 2 }),
    histograms: { decryption: timesOf(timed, 4) },
  });
}

it('reports no encrypted throughput without a payload cipher', () => {
  const run = changeRole(makeEvidence(), 'publisher', {
    counters: makeCounters({ sent: 1000, carriedBytesSent: 128_000 }),
  });
  expect(summariseMetrics(run)['rate.encrypted']).toBeNull();
  const spec = makeTrialSpec({ payloadCipher: 'aes-256-gcm' });
  expect(summariseMetrics({ ...run, spec })['rate.encrypted']).toBeCloseTo(12_800, 6);
});

it('reports the cost, expansion and randomness of encryption', () => {
  expect(summariseMetrics(evidenceWith(1000))).toMatchObject({
    'encryption.mean': expect.closeTo(2.5, 5),
    'encryption.p50': expect.closeTo(2.5, 5),
    'encryption.p99': expect.closeTo(2.5, 5),
    'decryption.p50': expect.closeTo(4, 5),
    // 1,000 messages of 2.5 µs in 0.5 s of CPU time.
    'payload.cpuShare.publisher': expect.closeTo(0.5, 5),
    'payload.expansion': 28,
    'payload.expansionRatio': 1.28,
    'count.unauthentic': 2,
    'randomness.monobit.passed': 98,
    'randomness.monobit.p': 0.48,
    'randomness.apEn.passed': null,
  });
});

it('shows no P99 of a few messages', () => {
  expect(summariseMetrics(evidenceWith(999))['encryption.p99']).toBeNull();
});

it('reports no cipher metrics without a cipher', () => {
  const metrics = summariseMetrics(makeEvidence());
  for (const id of [
    'encryption.mean',
    'payload.cpuShare.publisher',
    'payload.expansion',
    'randomness.runs.p',
  ]) {
    expect(metrics[id]).toBeNull();
  }
});
