import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideStop, meanInterval } from './interval.ts';

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

describe('decideStop', () => {
  it('never decides otherwise when later runs are added, nor in another unit', () => {
    fc.assert(
      fc.property(means, means, (early, late) => {
        const rule = { target: 0.01, rMin: 5, rMax: 12 };
        const first = decideStop(early, rule);
        if (first.stopAt !== null) expect(decideStop([...early, ...late], rule).stopAt).toBe(first.stopAt);
        expect(
          decideStop(
            early.map((v) => v * 1024),
            rule,
          ).stopAt,
        ).toBe(first.stopAt);
        expect(first.stopAt === null).toBe(first.reason === 'exhausted');
        if (first.stopAt !== null) expect(first.stopAt).toBeGreaterThanOrEqual(5);
      }),
    );
  });
  it('goes on to the cap when the width is undefined', () => {
    expect(decideStop([-1, 1, -1, 1], { target: 0.1, rMin: 2, rMax: 4 })).toMatchObject({
      stopAt: 4,
      reason: 'cap',
    });
    expect(decideStop([1, Number.NaN, 1], { target: 0.1, rMin: 2, rMax: 9 }).reason).toBe('exhausted');
  });
  it('refuses rules that cannot work', () => {
    for (const bad of [{ target: 0 }, { rMin: 1 }, { rMax: 2 }, { target: Number.NaN }]) {
      expect(() => decideStop([], { target: 0.01, rMin: 5, rMax: 9, ...bad })).toThrow(RangeError);
    }
  });
});
