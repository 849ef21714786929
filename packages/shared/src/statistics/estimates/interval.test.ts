import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { meanInterval, stopReason } from './interval.ts';

describe('meanInterval', () => {
  it('is the t interval', () => {
    const got = meanInterval([41.132271, 40.418454, 41.186468, 40.373307, 41.780796]);
    expect(got.lo).toBeCloseTo(40.24618141418015, 10);
    expect(got.hi).toBeCloseTo(41.71033698581986, 10);
    expect(got.tCrit).toBeCloseTo(2.7764451051977934, 12);
  });
  it('leaves undefined parts out', () => {
    const single = meanInterval([5]);
    expect([single.mean, single.sd, single.lo, single.hi]).toEqual([5, null, null, null]);
    for (const bad of [[], [Number.NaN, 1], [1, Infinity]]) {
      const { mean, se, lo, hi } = meanInterval(bad);
      expect([mean, se, lo, hi]).toEqual([null, null, null, null]);
    }
    expect(meanInterval([-1, 1]).relHalfWidth).toBeNull();
    expect(() => meanInterval([1, 2], 1)).toThrow(RangeError);
    expect(() => meanInterval([1, 2], Number.NaN)).toThrow(RangeError);
  });
});

const means = fc.array(
  fc.integer({ min: 3900, max: 4100 }).map((v) => v / 100),
  { maxLength: 30 },
);

describe('stopReason', () => {
  const rule = { target: 0.01, minRuns: 5, maxRuns: 12 };
  const reasonFor = (runMeans: readonly number[]) =>
    stopReason({ relHalfWidths: [meanInterval(runMeans).relHalfWidth], runs: runMeans.length }, rule);

  it('is the same in another unit, and never comes before the least number of runs', () => {
    fc.assert(
      fc.property(means, (runMeans) => {
        expect(reasonFor(runMeans.map((value) => value * 1024))).toBe(reasonFor(runMeans));
        if (reasonFor(runMeans) !== null) expect(runMeans.length).toBeGreaterThanOrEqual(5);
      }),
    );
  });
  it('goes on to the cap while a width is undefined or too large', () => {
    expect(reasonFor([-1, 1, -1, 1, -1, 1])).toBeNull();
    expect(stopReason({ relHalfWidths: [null], runs: 12 }, rule)).toBe('cap');
    expect(stopReason({ relHalfWidths: [0.005, 0.02], runs: 11 }, rule)).toBeNull();
    expect(stopReason({ relHalfWidths: [0.005, 0.02], runs: 12 }, rule)).toBe('cap');
  });
  it('wants every interval as narrow as asked', () => {
    expect(stopReason({ relHalfWidths: [0.005, 0.01], runs: 5 }, rule)).toBe('target');
    expect(stopReason({ relHalfWidths: [0.005, 0.01], runs: 4 }, rule)).toBeNull();
  });
});
