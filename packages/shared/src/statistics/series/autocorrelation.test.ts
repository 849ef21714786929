import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { makeRandom } from '../randomness/random.ts';
import { augmentedDickeyFuller } from './adf.ts';
import { autocorrelation, crossCorrelation, ljungBox, partialAutocorrelation } from './autocorrelation.ts';
import { optimalBlockLength } from './block-length.ts';

const series = fc
  .array(fc.integer({ min: -1000, max: 1000 }), { minLength: 24, maxLength: 120 })
  .filter((values) => new Set(values).size > 2);
const rescale = (values: readonly number[]) => values.map((v) => 8 * v + 1000);

function noise(n: number, seed: number): number[] {
  const random = makeRandom(seed);
  return Array.from({ length: n }, () => random.next() / 2 ** 32 + random.next() / 2 ** 32 - 1);
}

describe('autocorrelation', () => {
  it('starts at 1, stays within 1, and ignores shift, scale and direction', () => {
    fc.assert(
      fc.property(series, (values) => {
        const r = autocorrelation(values, 10)!;
        expect(r[0]).toBe(1);
        for (const value of r) expect(Math.abs(value)).toBeLessThanOrEqual(1 + 1e-12);
        autocorrelation(rescale(values), 10)!.forEach((value, k) => {
          expect(value).toBeCloseTo(r[k]!, 9);
        });
        autocorrelation(values.toReversed(), 10)!.forEach((value, k) => {
          expect(value).toBeCloseTo(r[k]!, 9);
        });
        const partial = partialAutocorrelation(values, 10)!;
        expect(partial[1]).toBeCloseTo(r[1]!, 12);
        expect(partial[2]).toBeCloseTo((r[2]! - r[1]! ** 2) / (1 - r[1]! ** 2), 8);
      }),
    );
  });

  it('gives tests that ignore shift and scale', () => {
    fc.assert(
      fc.property(series, (values) => {
        const moved = rescale(values);
        expect(ljungBox(moved, 5)!.q).toBeCloseTo(ljungBox(values, 5)!.q, 6);
        expect(optimalBlockLength(moved)!.circular).toBeCloseTo(optimalBlockLength(values)!.circular, 6);
        const [plain, shifted] = [augmentedDickeyFuller(values), augmentedDickeyFuller(moved)];
        expect(shifted === null).toBe(plain === null);
        if (plain !== null) expect(shifted!.statistic).toBeCloseTo(plain.statistic, 4);
      }),
    );
  });

  it('tells noise from a random walk', () => {
    const white = noise(600, 1);
    let level = 0;
    const walk = noise(600, 2).map((step) => {
      level += step;
      return level;
    });
    expect(augmentedDickeyFuller(white)!.pValue).toBeLessThan(1e-6);
    expect(augmentedDickeyFuller(walk)!.pValue).toBeGreaterThan(0.05);
    expect(ljungBox(white, 10)!.p).toBeGreaterThan(0.01);
    expect(ljungBox(walk, 10)!.p).toBe(0);
    expect(optimalBlockLength(white)!.circularCeil).toBeLessThan(8);
    expect(optimalBlockLength(walk)!.circularCeil).toBeGreaterThan(40);
  });

  it('says nothing about constant, short or broken series', () => {
    for (const bad of [[], [1], [2, 2, 2, 2, 2, 2], [1, 2, Number.NaN, 4, 5, 6, 7], [1, Infinity, 3, 4]]) {
      expect(autocorrelation(bad)).toBeNull();
      expect(partialAutocorrelation(bad)).toBeNull();
      expect(ljungBox(bad, 1)).toBeNull();
      expect(augmentedDickeyFuller(bad)).toBeNull();
      expect(optimalBlockLength(bad)).toBeNull();
    }
    expect(ljungBox([1, 2, 4], 3)).toBeNull();
    expect(augmentedDickeyFuller([1, 2, 4])).toBeNull();
    expect(augmentedDickeyFuller(Array.from({ length: 50 }, (_, i) => 1 + i / 4))).toBeNull();
    expect(() => autocorrelation([1, 2, 3], 3)).toThrow(RangeError);
    expect(() => partialAutocorrelation([1, 2, 3], 2)).toThrow(RangeError);
    expect(() => ljungBox([1, 2, 3], 0)).toThrow(RangeError);
  });
});

describe('crossCorrelation', () => {
  it('finds a known delay and its sign', () => {
    const y = noise(300, 3);
    const x = noise(300, 4).map((v, t) => 0.2 * v - (y[t - 7] ?? 0));
    const { strongest, band95, lags } = crossCorrelation(x, y, 20)!;
    expect(strongest.lag).toBe(7);
    expect(strongest.r).toBeLessThan(-0.8);
    expect(band95).toBeCloseTo(1.96 / Math.sqrt(300), 4);
    expect(lags.filter(({ r }) => Math.abs(r) > band95).length).toBeLessThan(8);
  });

  it('mirrors when the series are swapped, and is the autocorrelation of a series with itself', () => {
    fc.assert(
      fc.property(series, (values) => {
        const other = values.map((v, t) => v * ((t * 7) % 5));
        fc.pre(new Set(other).size > 1);
        const forth = crossCorrelation(values, other, 6)!.lags;
        crossCorrelation(other, values, 6)!.lags.forEach(({ lag, r }, i) => {
          expect(lag).toBe(i - 6);
          expect(r).toBeCloseTo(forth[12 - i]!.r, 10);
        });
        const own = crossCorrelation(values, values, 6)!.lags.slice(6);
        expect(own.map(({ r }) => r.toFixed(9))).toEqual(
          autocorrelation(values, 6)!.map((r) => r.toFixed(9)),
        );
      }),
    );
  });

  it('refuses what does not fit', () => {
    expect(crossCorrelation([1, 1, 1], [1, 2, 3], 1)).toBeNull();
    expect(crossCorrelation([], [], 0)).toBeNull();
    expect(() => crossCorrelation([1, 2], [1, 2, 3], 1)).toThrow(RangeError);
    expect(() => crossCorrelation([1, 2], [1, 3], 2)).toThrow(RangeError);
  });
});
