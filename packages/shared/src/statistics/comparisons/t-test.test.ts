import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { cliffsDelta, cohensDz, standardisedDifference } from './effect-size.ts';
import { independentRatio, pairedRatio } from './ratio.ts';
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

  it('has a ratio that inverts with the groups and ignores the unit, paired or not', () => {
    fc.assert(
      fc.property(varied, varied, (a, b) => {
        const n = Math.min(a.length, b.length);
        const logs = a.slice(0, n).map((value, i) => Math.log(value / (b[i] ?? 1)));
        fc.pre(Math.max(...logs) - Math.min(...logs) > 1e-6);
        for (const test of [independentRatio, pairedRatio]) {
          const [top, bottom] = test === pairedRatio ? [a.slice(0, n), b.slice(0, n)] : [a, b];
          const forth = test(top, bottom)!;
          const back = test(bottom, top)!;
          expect((back.lo ?? 0) * (forth.hi ?? 0)).toBeCloseTo(1, 9);
          const times = (values: number[]) => values.map((v) => 1000 * v);
          expect((test(times(top), times(bottom))!.hi ?? 0) / (forth.hi ?? 0)).toBeCloseTo(1, 9);
          expect(forth.lo).toBeLessThan(forth.ratio);
          expect(forth.hi).toBeGreaterThan(forth.ratio);
          expect((forth.p ?? 1) < 0.05).toBe((forth.lo ?? 0) > 1 || (forth.hi ?? 2) < 1);
        }
      }),
    );
  });

  it('takes what blocks share out of the interval of a paired ratio', () => {
    const b = [1, 2, 4, 8];
    const a = [1.11, 2.19, 4.41, 8.79];
    const width = ({ lo, hi }: { lo: number | null; hi: number | null }) => (hi ?? 0) - (lo ?? 0);
    expect(pairedRatio(a, b)?.ratio).toBeCloseTo(1.1, 2);
    expect(width(pairedRatio(a, b)!)).toBeLessThan(width(independentRatio(a, b)!) / 10);
    expect(pairedRatio([2, 4], [1, 2])).toEqual({ ratio: 2, lo: null, hi: null, df: null, p: null });
    expect([pairedRatio([1, 0], [1, 1]), pairedRatio([2], [1])]).toEqual([null, null]);
    expect(() => pairedRatio([1, 2], [1])).toThrow(RangeError);
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
      expect([welchTest(bad, [1, 2]), studentTest([1, 2], bad), independentRatio(bad, [1, 2])]).toEqual([
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
    expect(independentRatio([-1, 2], [1, -3])).toBeNull();
    expect(independentRatio([4, 4], [2, 2])).toMatchObject({ ratio: 2, lo: null, p: null });
    expect([pairedTest([1, 2, 3], [2, 3, 4]), cohensDz([1.1, 2.2], [1, 2.1])]).toEqual([null, null]);
    expect(() => pairedTest([1, 2], [1])).toThrow(RangeError);
    expect(() => cohensDz([1, 2], [1])).toThrow(RangeError);
  });
});
