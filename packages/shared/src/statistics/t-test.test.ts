import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cliffsDelta, cohensDz, standardisedDifference } from './effect-size.ts';
import { ratioInterval } from './ratio.ts';
import { pairedTest, studentTest, welchTest } from './t-test.ts';

const runs = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 3, maxLength: 12 });
const varied = runs.filter((values) => new Set(values).size > 1);

describe('two groups', () => {
  it('changes sign when the groups are swapped and ignores a common shift', () => {
    fc.assert(
      fc.property(varied, varied, fc.integer({ min: -50, max: 50 }), (a, b, shift) => {
        for (const test of [welchTest, studentTest]) {
          const forth = test(a, b)!;
          const back = test(b, a)!;
          expect(back.t).toBeCloseTo(-forth.t, 9);
          expect(back.lo).toBeCloseTo(-forth.hi, 9);
          const moved = test(
            a.map((v) => v + shift),
            b.map((v) => v + shift),
          )!;
          expect(moved.p).toBeCloseTo(forth.p, 9);
          expect(forth.p < 0.05).toBe(forth.lo > 0 || forth.hi < 0);
        }
        expect(cliffsDelta(a, b)).toBeCloseTo(-cliffsDelta(b, a)!, 12);
      }),
    );
  });

  it('has a ratio interval that inverts with the groups and ignores the unit', () => {
    fc.assert(
      fc.property(varied, varied, (a, b) => {
        const forth = ratioInterval(a, b)!;
        const back = ratioInterval(b, a)!;
        expect(back.lo * forth.hi).toBeCloseTo(1, 9);
        const scaled = ratioInterval(
          a.map((v) => 1000 * v),
          b.map((v) => 1000 * v),
        )!;
        expect(scaled.hi / forth.hi).toBeCloseTo(1, 9);
        expect(forth.lo).toBeLessThan(forth.ratio);
        expect(forth.hi).toBeGreaterThan(forth.ratio);
      }),
    );
  });

  it('keeps effect sizes under shift and scale, and Cliff delta under any rising transform', () => {
    fc.assert(
      fc.property(varied, varied, (a, b) => {
        const moved = standardisedDifference(
          a.map((v) => 3 * v + 7),
          b.map((v) => 3 * v + 7),
        );
        expect(moved.hedgesG).toBeCloseTo(standardisedDifference(a, b).hedgesG!, 9);
        expect(cliffsDelta(a.map(Math.log), b.map(Math.log))).toBe(cliffsDelta(a, b));
      }),
    );
  });

  it('says nothing without values, spread or equal lengths', () => {
    for (const bad of [[], [1], [Number.NaN, 1]]) {
      expect([welchTest(bad, [1, 2]), studentTest([1, 2], bad), ratioInterval(bad, [1, 2])]).toEqual([
        null,
        null,
        null,
      ]);
      expect(standardisedDifference(bad, [1, 2]).hedgesG).toBeNull();
    }
    expect(cliffsDelta([], [1])).toBeNull();
    expect([welchTest([2, 2], [3, 3]), studentTest([2, 2], [3, 3])]).toEqual([null, null]);
    expect(standardisedDifference([2, 2], [3, 3])).toEqual({
      pooledSd: 0,
      cohensD: null,
      hedgesG: null,
      hedgesGExact: null,
    });
    expect([ratioInterval([-1, 2], [1, -3]), ratioInterval([2, 2], [3, 3])]).toEqual([null, null]);
    expect([pairedTest([1, 2, 3], [2, 3, 4]), cohensDz([1.1, 2.2], [1, 2.1])]).toEqual([null, null]);
    expect(() => pairedTest([1, 2], [1])).toThrow(RangeError);
    expect(() => cohensDz([1, 2], [1])).toThrow(RangeError);
  });
});
