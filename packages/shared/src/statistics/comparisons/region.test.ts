import { describe, expect, it } from 'vitest';
import { tTwoSidedP, tTwoSidedQuantile } from '../distributions/normal.ts';
import { holmLevels } from './multiple-testing.ts';
import { isInside, isOutside, regionPValues } from './region.ts';

/** An estimate with a standard error and its degrees of freedom. */
const intervalOf = (value: number, se: number, df: number) => (coverage: number) => {
  const half = tTwoSidedQuantile(1 - coverage, df) * se;
  return { lo: value - half, hi: value + half };
};
const above = (from: number) => ({ from, to: Number.POSITIVE_INFINITY });

/** P(T > t) of two degrees of freedom, in closed form. */
const upperTail = (t: number) => 0.5 - t / (2 * Math.sqrt(2 + t * t));

describe('p-values of a region', () => {
  it('of one bound is that of the two-sided t test', () => {
    const { inside, outside } = regionPValues(intervalOf(3, 0.5, 2), above(1));
    expect(inside).toBeCloseTo(2 * upperTail(4), 8);
    expect(inside).toBeCloseTo(tTwoSidedP(4, 2), 8);
    expect(outside).toBe(1);
    expect(regionPValues(intervalOf(3, 0.5, 2), above(5)).outside).toBeCloseTo(2 * upperTail(4), 8);
  });

  it('of two bounds is twice the larger of the two one-sided p-values', () => {
    const region = { from: -1, to: 2 };
    const { inside } = regionPValues(intervalOf(0.5, 0.25, 2), region);
    expect(inside).toBeCloseTo(2 * Math.max(upperTail(1.5 / 0.25), upperTail(1.5 / 0.25)), 8);
    const skewed = regionPValues(intervalOf(1.5, 0.25, 2), region);
    expect(skewed.inside).toBeCloseTo(2 * upperTail(0.5 / 0.25), 8);
    expect(regionPValues(intervalOf(3, 0.25, 2), region).outside).toBeCloseTo(2 * upperTail(1 / 0.25), 8);
  });

  it('is below a level exactly if the interval of that level decides', () => {
    for (const value of [-2, 0, 0.9, 1.1, 4]) {
      const at = intervalOf(value, 0.3, 4);
      const region = { from: 0.5, to: 2 };
      const { inside, outside } = regionPValues(at, region);
      for (const level of [0.2, 0.05, 0.01, 0.001]) {
        expect(isInside(at(1 - level), region)).toBe(inside < level);
        expect(isOutside(at(1 - level), region)).toBe(outside < level);
      }
    }
  });
});

describe('levels of Holm', () => {
  it('divide the level by the hypotheses that are left, until one is not rejected', () => {
    expect(holmLevels([0.001, 0.02, 0.04])).toEqual([0.05 / 3, 0.05 / 2, 0.05]);
    expect(holmLevels([0.04, 0.001, 0.03])).toEqual([0.05 / 2, 0.05 / 3, 0.05 / 2]);
    expect(holmLevels([0.5])).toEqual([0.05]);
    expect(holmLevels([])).toEqual([]);
  });
});
