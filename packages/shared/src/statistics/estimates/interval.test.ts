import { describe, expect, it } from 'vitest';
import { meanInterval } from './interval.ts';

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
