import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { LatencyHistogram } from './histogram.ts';

const latencies = fc.array(fc.integer({ min: 0, max: 60_000_000 }), { minLength: 1, maxLength: 300 });
// Small enough for sums of squares to stay exact in any order.
const exactSums = fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 300 });

function filled(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

describe('LatencyHistogram', () => {
  it('keeps every value within one part in a thousand', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60_000_000 }), (value) => {
        const top = filled([value]).percentile(50)!;
        expect(top).toBeGreaterThanOrEqual(value);
        expect(top - value).toBeLessThanOrEqual(value / 1000);
      }),
    );
  });

  it('gives the percentile of the sorted values', () => {
    fc.assert(
      fc.property(latencies, fc.integer({ min: 1, max: 100 }), (values, percent) => {
        const sorted = values.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil((percent * values.length) / 100) - 1)]!;
        const got = filled(values).percentile(percent)!;
        expect(got).toBeGreaterThanOrEqual(exact);
        expect(got - exact).toBeLessThanOrEqual(exact / 1000);
      }),
    );
  });

  it('does not depend on order, merging or a trip through JSON', () => {
    fc.assert(
      fc.property(exactSums, exactSums, (a, b) => {
        const whole = filled([...a, ...b]).toJson();
        expect(filled([...b, ...a].reverse()).toJson()).toEqual(whole);
        expect(filled(a).merge(filled(b)).toJson()).toEqual(whole);
        const read = LatencyHistogram.fromJson(JSON.parse(JSON.stringify(whole)));
        expect(read.toJson()).toEqual(whole);
        expect(read.percentile(99)).toBe(filled([...a, ...b]).percentile(99));
      }),
    );
  });

  it('computes mean and sd from the values, not from the buckets', () => {
    const histogram = filled([100_000.25, 100_001.25, 100_002.25]);
    expect(histogram.meanUs).toBeCloseTo(100_001.25, 9);
    expect(histogram.sdUs).toBeCloseTo(1, 3);
    expect(histogram.minUs).toBe(100_000.25);
    expect(histogram.maxUs).toBe(100_002.25);
  });

  it('has no figures when empty and no spread from one value', () => {
    const empty = new LatencyHistogram();
    const figures = [empty.minUs, empty.maxUs, empty.meanUs, empty.sdUs, empty.percentile(50)];
    expect(figures).toEqual([null, null, null, null, null]);
    expect(empty.bins(10)).toEqual([]);
    expect(empty.cumulative(10)).toEqual([]);
    expect(filled([5]).sdUs).toBeNull();
    expect(filled([5.3, 5.3, 5.3]).sdUs).toBe(0);
    expect(LatencyHistogram.fromJson(empty.toJson()).toJson()).toEqual(empty.toJson());
  });

  it('clamps and counts what is out of range, and refuses what is no number', () => {
    const histogram = filled([-12, 70_000_000, 10]);
    expect([histogram.overflow, histogram.underflow, histogram.count]).toEqual([1, 1, 3]);
    expect(histogram.percentile(1)).toBe(0);
    expect(histogram.percentile(100)).toBeGreaterThanOrEqual(60_000_000);
    expect([histogram.minUs, histogram.maxUs]).toEqual([-12, 70_000_000]);
    for (const bad of [Number.NaN, Infinity, -Infinity])
      expect(() => histogram.record(bad)).toThrow(RangeError);
    expect(histogram.count).toBe(3);
    expect(() => histogram.percentile(101)).toThrow(RangeError);
    expect(() => histogram.percentile(Number.NaN)).toThrow(RangeError);
  });

  it('fills in what a stalled closed-loop sender did not send', () => {
    const histogram = new LatencyHistogram();
    histogram.recordCorrected(100, 30);
    expect(histogram.toJson().buckets).toEqual([40, 1, 70, 1, 100, 1]);
    histogram.recordCorrected(100, 0);
    expect(histogram.count).toBe(4);
  });

  it('bins for drawing without losing a value', () => {
    fc.assert(
      fc.property(
        latencies,
        fc.integer({ min: 1, max: 50 }),
        fc.constantFrom('linear', 'log'),
        (v, n, scale) => {
          const bins = filled(v).bins(n, scale);
          expect(bins).toHaveLength(n);
          const drawn = bins.reduce((sum, bin) => sum + bin.count, 0);
          expect(drawn).toBe(v.length);
        },
      ),
    );
    expect(filled([1, 5, 9, 10, 25]).bins([0, 10, 20])).toEqual([
      { fromUs: 0, toUs: 10, count: 3 },
      { fromUs: 10, toUs: 20, count: 1 },
    ]);
    expect(() => filled([1]).bins([3, 3])).toThrow(RangeError);
    expect(() => filled([1]).bins(0)).toThrow(RangeError);
  });

  it('draws a rising percentile curve that ends at the maximum', () => {
    fc.assert(
      fc.property(latencies, (values) => {
        const histogram = filled(values);
        const curve = histogram.cumulative(20);
        expect(curve).toHaveLength(20);
        expect(curve[0]).toEqual({ percentile: 0, valueUs: histogram.percentile(0) });
        expect(curve.at(-1)).toEqual({ percentile: 100, valueUs: histogram.percentile(100) });
        for (let i = 1; i < curve.length; i += 1) {
          expect(curve[i]!.percentile).toBeGreaterThan(curve[i - 1]!.percentile);
          expect(curve[i]!.valueUs).toBeGreaterThanOrEqual(curve[i - 1]!.valueUs);
        }
      }),
    );
  });

  it('empties itself for the next interval', () => {
    const histogram = filled([1, 2, -3, 7e7]);
    histogram.reset();
    expect(histogram.toJson()).toEqual(new LatencyHistogram().toJson());
  });

  it.each([0.1, 0.01, 0.001])('counts in steps of %f µs, and stays what it is when stored', (lowest) => {
    const range = { lowest, highest: 2e6, significantDigits: 3 };
    const fine = new LatencyHistogram(range);
    const coarse = new LatencyHistogram({ ...range, lowest: 1, highest: 2e6 / lowest });
    const values = [0, 0.25, 1.5, 2.75, 15, 15, 123.4, 1e5].map((value) => Number(value.toFixed(3)));
    for (const value of values) {
      fine.record(value);
      coarse.record(value / lowest);
    }
    const read = LatencyHistogram.fromJson(JSON.parse(JSON.stringify(fine.toJson())));
    for (const percent of [0, 10, 50, 90, 100]) {
      expect(read.percentile(percent)).toBeCloseTo((coarse.percentile(percent) ?? 0) * lowest, 6);
    }
    expect(fine.percentile(60)).toBeCloseTo(15, 1);
    expect(read.meanUs).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 9);
    const bins = read.bins(12, 'log');
    expect(bins.at(0)?.fromUs).toBeCloseTo(lowest / 2, 9);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
    expect(() => read.merge(new LatencyHistogram({ ...range, lowest: 1 }))).toThrow(RangeError);
    expect(read.merge(fine).count).toBe(2 * values.length);
  });

  it('refuses ranges and stored forms that make no sense', () => {
    for (const range of [
      { lowest: 0 },
      { lowest: 0.5 },
      { lowest: 0.01 },
      { highest: 1 },
      { significantDigits: 6 },
      { highest: 2 ** 31 },
    ]) {
      expect(() => new LatencyHistogram(range)).toThrow(RangeError);
    }
    expect(() => new LatencyHistogram().merge(new LatencyHistogram({ significantDigits: 2 }))).toThrow(
      RangeError,
    );
    const good = filled([1, 2, 3]).toJson();
    const broken = [
      null,
      {},
      { ...good, count: 4 },
      { ...good, buckets: [1] },
      { ...good, buckets: [1, -3] },
    ];
    for (const json of [...broken, { ...good, sum: null }, { ...good, buckets: [1e6, 3] }]) {
      expect(() => LatencyHistogram.fromJson(json)).toThrow(/histogram|bucket/);
    }
  });
});
