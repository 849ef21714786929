import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantile, quantiles, summariseBox } from './quantile.ts';
import {
  coefficientOfVariation,
  mean,
  standardDeviation,
  sum,
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
