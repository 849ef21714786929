import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { fc } from '@mqttlab/shared/testing/properties';
import { expect, it } from 'vitest';
import { makeReadingAge, RecentLatency, toHistogramJson } from './histograms.ts';

it('reports a complete second, however often buckets were taken', () => {
  const [whole, cut] = [new RecentLatency(), new RecentLatency()];
  const buckets = [10, 20, 30].map((base) => {
    for (const latencyUs of [1, 2, 3].map((step) => (base + step) * 1000)) {
      whole.record(latencyUs);
      cut.record(latencyUs);
    }
    return cut.cutBucket();
  });
  expect(buckets.map((bucket) => Math.round(bucket?.p50 ?? 0))).toEqual([12, 22, 32]);
  expect(cut.cutBucket()).toBeNull();
  expect(cut.take()).toEqual(whole.take());
  expect([cut.take(), whole.take()]).toEqual([null, null]);
});

/** Reading by reading, as in the definition. */
function recordAll(latenciesUs: readonly number[], readings: number, periodUs: number): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const latencyUs of latenciesUs) {
    for (let k = 0; k < readings; k += 1) histogram.record(latencyUs + (readings - 1 - k) * periodUs);
  }
  return histogram;
}

it('equals recording every reading', () => {
  const latencies = fc.array(fc.double({ min: 1, max: 1e5, noNaN: true }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(
      latencies,
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 10, max: 1e5, noNaN: true }),
      (us, readings, rate) => {
        const latency = new LatencyHistogram();
        for (const value of us) latency.record(value);
        const json = makeReadingAge(toHistogramJson(latency), {
          readingsPerMessage: readings,
          readingsPerSecond: rate,
        });
        const made = LatencyHistogram.fromJson(json);
        const expected = recordAll(us, readings, 1e6 / rate);
        expect(made.count).toBe(expected.count);
        expect(made.meanUs).toBeCloseTo(expected.meanUs!, 3);
        expect(made.minUs).toBeCloseTo(expected.minUs!, 3);
        expect(made.maxUs).toBeCloseTo(expected.maxUs!, 3);
        expect(made.sdUs ?? 0).toBeCloseTo(expected.sdUs ?? 0, 0);
        for (const percent of [0, 25, 50, 95, 100]) {
          const [ours, theirs] = [made.percentile(percent)!, expected.percentile(percent)!];
          // Twice the width of a bucket: three digits, rounded twice.
          expect(Math.abs(ours - theirs)).toBeLessThanOrEqual(2 + 0.002 * theirs);
        }
      },
    ),
  );
});

it('equals latency when each reading is a message', () => {
  const latency = new LatencyHistogram();
  for (const us of [120, 480, 9_000]) latency.record(us);
  const json = toHistogramJson(latency);
  const age = makeReadingAge(json, { readingsPerMessage: 1, readingsPerSecond: 100 });
  expect(age).toMatchObject({ count: 3, min: 120, max: 9_000, sum: json?.sum });
  expect(LatencyHistogram.fromJson(age).percentile(50)).toBe(latency.percentile(50));
});

it('extends beyond a minute for long batches, in little time', () => {
  const latency = new LatencyHistogram();
  for (let us = 1; us < 1e6; us *= 1.01) latency.record(us);
  const age = makeReadingAge(toHistogramJson(latency), {
    readingsPerMessage: 65_536,
    readingsPerSecond: 100,
  });
  expect(age?.overflow).toBe(0);
  expect(LatencyHistogram.fromJson(age).percentile(50)! / 327.7e6).toBeCloseTo(1, 2);
});

it('is unknown without latency or without a rate', () => {
  expect(makeReadingAge(null, { readingsPerMessage: 4, readingsPerSecond: 100 })).toBeNull();
  const latency = new LatencyHistogram();
  latency.record(5);
  const json = toHistogramJson(latency);
  expect(makeReadingAge(json, { readingsPerMessage: 4, readingsPerSecond: null })).toBeNull();
});
