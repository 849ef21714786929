import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { friedman, kruskalWallis } from '../comparisons/k-sample.ts';
import { mannWhitney } from '../comparisons/mann-whitney.ts';
import { wilcoxonSignedRank } from '../comparisons/wilcoxon.ts';
import {
  coefficientOfVariation,
  halfSampleMode,
  mean,
  quantile,
  quantiles,
  rankValues,
  standardDeviation,
  sum,
  summariseBox,
  summariseValues,
  variance,
} from './summary.ts';

const sample = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 60 });
const level = fc.integer({ min: 0, max: 1000 }).map((v) => v / 1000);

describe('summary', () => {
  it('shifts and scales', () => {
    fc.assert(
      fc.property(sample, fc.integer({ min: -500, max: 500 }), (values, shift) => {
        const moved = values.map((v) => 4 * v + shift);
        expect(mean(moved)).toBeCloseTo(4 * mean(values)! + shift, 8);
        expect(standardDeviation(moved)).toBeCloseTo(4 * standardDeviation(values)!, 8);
        expect(quantile(moved, 0.25)).toBeCloseTo(4 * quantile(values, 0.25)! + shift, 8);
      }),
    );
  });

  it('does not depend on order', () => {
    fc.assert(
      fc.property(sample, (values) => {
        const turned = values.toReversed();
        expect(summariseBox(turned)!.outliers).toEqual(summariseBox(values)!.outliers);
        expect(mean(turned)).toBeCloseTo(mean(values)!, 10);
        expect(quantiles(turned, [0.1, 0.9])).toEqual(quantiles(values, [0.1, 0.9]));
      }),
    );
  });

  it('keeps quantiles inside the range, rising with the level, and commutes with rank at data points', () => {
    fc.assert(
      fc.property(sample, level, level, (values, p, q) => {
        const [low, high] = quantiles(values, [Math.min(p, q), Math.max(p, q)])!;
        expect(low).toBeLessThanOrEqual(high!);
        expect(low).toBeGreaterThanOrEqual(Math.min(...values));
        expect(high).toBeLessThanOrEqual(Math.max(...values));
        const cubes = values.map((v) => v ** 3);
        expect(quantile(cubes, 0)).toBe(quantile(values, 0)! ** 3);
        expect(quantile(cubes, 1)).toBe(quantile(values, 1)! ** 3);
      }),
    );
  });

  it('keeps small spread on a large offset, and sums without loss', () => {
    expect(variance([1e9 + 1, 1e9 + 2, 1e9 + 3])).toBe(1);
    expect(sum([1e16, 1, 1, -1e16])).toBe(2);
    expect(variance([0.1, 0.1, 0.1])).toBe(0);
  });

  it('says nothing about nothing', () => {
    for (const bad of [[], [Number.NaN], [1, Number.NaN, 3], [1, Infinity]]) {
      expect([mean(bad), variance(bad), quantile(bad, 0.5), summariseValues(bad), summariseBox(bad)]).toEqual(
        [null, null, null, null, null],
      );
    }
    expect([variance([3]), standardDeviation([3]), coefficientOfVariation([3])]).toEqual([null, null, null]);
    expect(coefficientOfVariation([-1, 1])).toBeNull();
    expect(summariseValues([3])).toEqual({
      n: 1,
      mean: 3,
      sd: null,
      variance: null,
      cv: null,
      min: 3,
      max: 3,
      sum: 3,
    });
    expect(() => quantile([1], 1.5)).toThrow(RangeError);
    expect(() => quantile([1], Number.NaN)).toThrow(RangeError);
  });
});

it.each([
  [[4], 4],
  [[4, 6], 5],
  [[1, 2, 9], 1.5],
  [[1, 8, 9], 8.5],
  [[1, 2, 3], 2],
  [[5, 1, 5, 9, 5, 2], 5],
  // The densest half lies around 10, far from mean and median of the tail.
  [[9.9, 10, 10.05, 30, 50, 70, 90, 10.12], 10.025],
])('the mode of %j is %d', (values, mode) => {
  expect(halfSampleMode(values)).toBeCloseTo(mode, 10);
});

it('nothing has no mode', () => {
  expect(halfSampleMode([])).toBeNaN();
});

const group = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 });
const distinct = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { minLength: 4, maxLength: 12 });
const cube = (xs: readonly number[]) => xs.map((x) => x ** 3);

describe('rankValues', () => {
  it('averages ties', () => {
    const { ranks, tieTerm } = rankValues([5, 1, 5, 3]);
    expect([...ranks]).toEqual([3.5, 1, 3.5, 2]);
    expect(tieTerm).toBe(6);
    expect(rankValues([]).ranks).toHaveLength(0);
  });
});

describe('rank tests', () => {
  it('see only the order of the values', () => {
    fc.assert(
      fc.property(group, group, group, (a, b, c) => {
        expect(mannWhitney(cube(a), cube(b))).toEqual(mannWhitney(a, b));
        expect(kruskalWallis([cube(a), cube(b), cube(c)])).toEqual(kruskalWallis([a, b, c]));
        const n = Math.min(a.length, b.length, c.length);
        const [x, y, z] = [a.slice(0, n), b.slice(0, n), c.slice(0, n)];
        expect(friedman([cube(x), cube(y), cube(z)])).toEqual(friedman([x, y, z]));
      }),
    );
  });

  it('do not care which group comes first or in which order its values stand', () => {
    fc.assert(
      fc.property(group, group, (a, b) => {
        const forth = mannWhitney(a, b)!;
        const back = mannWhitney(b.toReversed(), a.toReversed())!;
        expect(back.uA).toBe(forth.uB);
        expect(back.p).toBeCloseTo(forth.p, 12);
        expect(forth.uA + forth.uB).toBe(a.length * b.length);
        const kw = kruskalWallis([a, b]);
        if (kw !== null) expect(kruskalWallis([b, a])!.h).toBeCloseTo(kw.h, 10);
      }),
    );
  });

  it('have exact p-values that match counting by hand', () => {
    fc.assert(
      fc.property(distinct, (all) => {
        const half = Math.floor(all.length / 2);
        const [a, b] = [all.slice(0, half), all.slice(half)];
        const { uA, uB, pExact } = mannWhitney(a, b)!;
        const larger = Math.max(uA, uB);
        let extreme = 0;
        let total = 0;
        for (let mask = 0; mask < 2 ** all.length; mask += 1) {
          const chosen = all.filter((_, i) => (mask >> i) & 1);
          if (chosen.length !== half) continue;
          total += 1;
          const rest = all.filter((_, i) => !((mask >> i) & 1));
          const u = chosen.reduce((sum, x) => sum + rest.filter((y) => x > y).length, 0);
          if (u >= larger) extreme += 1;
        }
        expect(pExact).toBeCloseTo(Math.min(1, (2 * extreme) / total), 12);
      }),
      { numRuns: 20 },
    );
    // All five differences of one sign: 2 / 2^5.
    expect(wilcoxonSignedRank([1, 2, 3, 4, 5], [0, 0.5, 1, 1.5, 2])!.pExact).toBe(0.0625);
  });

  it('treat decimal noise in differences as the tie it is', () => {
    const test = wilcoxonSignedRank([0.3, 1, 5], [0.2, 0.9, 5])!;
    expect([test.nonZero, test.wPlus, test.wMinus, test.pExact]).toEqual([2, 3, 0, null]);
  });

  it('say nothing about nothing', () => {
    expect([mannWhitney([], [1]), mannWhitney([1, Number.NaN], [1])]).toEqual([null, null]);
    expect(mannWhitney([2, 2], [2])).toMatchObject({ p: 1, pExact: null });
    expect([wilcoxonSignedRank([], []), wilcoxonSignedRank([1, 2], [1, 2])]).toEqual([null, null]);
    expect(wilcoxonSignedRank([1, Number.NaN], [1, 2])).toBeNull();
    expect(() => wilcoxonSignedRank([1], [1, 2])).toThrow(RangeError);
    for (const bad of [
      [],
      [[1, 2]],
      [[1], []],
      [[1], [Number.NaN]],
      [
        [3, 3],
        [3, 3],
      ],
    ]) {
      expect(kruskalWallis(bad)).toBeNull();
    }
    const three = [
      [1, 2],
      [2, 3],
      [3, 4],
    ];
    expect(friedman(three)).not.toBeNull();
    for (const bad of [
      [],
      three.slice(0, 2),
      [[1], [2], [3]],
      [...three, [1]],
      [
        [1, 2],
        [1, 2],
        [1, 2],
      ],
    ]) {
      expect(friedman(bad)).toBeNull();
    }
  });
});
