import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { makeRandom, randomIndex } from '../randomness/random.ts';
import { type BootstrapOptions, bootstrapDifference, makeBlockSums, meanFromStarts } from './bootstrap.ts';

const values = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 40 });
const base: BootstrapOptions = {
  scheme: 'single',
  blockType: 'circular',
  blockLength: 3,
  seed: 7,
  replicates: 400,
};
const runs = [
  [1, 2, 3, 4, 9, 6],
  [2, 2, 8, 4, 5, 1, 3],
  [7, 1, 4, 4, 2, 6],
];
const constant = (value: number) => [new Array<number>(3).fill(value), new Array<number>(3).fill(value)];
const others = runs.map((run) => run.map((value) => value * 1.5));

describe('block sums', () => {
  it('give the mean of the series that the blocks make', () => {
    fc.assert(
      fc.property(
        values,
        fc.nat(),
        fc.constantFrom('circular', 'moving'),
        fc.nat(),
        (...[x, length, type, seed]) => {
          const blockLength = 1 + (length % x.length);
          const sums = makeBlockSums(x, blockLength, type);
          const random = makeRandom(seed);
          const starts = Array.from({ length: sums.blocks }, () => randomIndex(random, sums.whole.length));
          const rebuilt = starts
            .flatMap((start) => Array.from({ length: blockLength }, (_, i) => x[(start + i) % x.length]!))
            .slice(0, x.length);
          const expected = rebuilt.reduce((a, b) => a + b, 0) / x.length;
          expect(meanFromStarts(sums, starts)).toBeCloseTo(expected, 9);
        },
      ),
    );
  });

  it('refuse wrong blocks', () => {
    for (const length of [0, 4, 1.5, Number.NaN])
      expect(() => makeBlockSums([1, 2, 3], length, 'moving')).toThrow(RangeError);
    expect(() => makeBlockSums([], 1, 'circular')).toThrow(RangeError);
    expect(() => makeBlockSums([1, Number.NaN], 1, 'circular')).toThrow(RangeError);
    const sums = makeBlockSums([1, 2, 3, 4], 2, 'moving');
    expect(() => meanFromStarts(sums, [0])).toThrow(RangeError);
    expect(() => meanFromStarts(sums, [0, 3])).toThrow(RangeError);
  });
});

describe.each(['single', 'concatenated', 'stratified', 'hierarchical', 'runs-only'] as const)(
  'bootstrap %s',
  (scheme) => {
    const options = { ...base, scheme };

    it('repeats with the seed and differs without', () => {
      const first = bootstrapDifference(runs, others, options);
      expect(bootstrapDifference(runs, others, options)).toEqual(first);
      expect(bootstrapDifference(runs, others, { ...options, seed: 8 }).percentile).not.toEqual(
        first.percentile,
      );
    });

    it('follows shift and scale exactly, and changes sign with the groups', () => {
      const plain = bootstrapDifference(runs, others, options);
      const scaled = (group: number[][], shift: number) =>
        group.map((run) => run.map((value) => 4 * value + shift));
      const moved = bootstrapDifference(scaled(runs, 100), scaled(others, 0), options);
      expect(moved.percentile.lo).toBeCloseTo(4 * plain.percentile.lo + 100, 9);
      expect(moved.percentile.hi).toBeCloseTo(4 * plain.percentile.hi + 100, 9);
      expect(moved.se).toBeCloseTo(4 * plain.se, 9);
      expect(moved.exact.difference.se).toBeCloseTo(4 * plain.exact.difference.se, 9);
      const back = bootstrapDifference(others, runs, options);
      expect(back.point).toBeCloseTo(-plain.point, 12);
      expect(back.exact.difference.mean).toBeCloseTo(-plain.exact.difference.mean, 12);
    });

    it('agrees with its closed form', () => {
      const { se, exact, point, percentile, basic } = bootstrapDifference(runs, others, {
        ...options,
        replicates: 20_000,
      });
      expect(se / exact.difference.se).toBeGreaterThan(0.97);
      expect(se / exact.difference.se).toBeLessThan(1.03);
      expect(basic.lo).toBeCloseTo(2 * point - percentile.hi, 12);
      expect(percentile.lo).toBeLessThan(point);
      expect(percentile.hi).toBeGreaterThan(point);
    });

    it('collapses to the point without variance and refuses bad input', () => {
      const flat = bootstrapDifference(constant(5.1), constant(2), options);
      expect(flat.percentile.lo).toBeCloseTo(3.1, 12);
      expect(flat.percentile.hi).toBeCloseTo(3.1, 12);
      expect(flat.exact.difference.se).toBe(0);
      for (const bad of [[], [[]], [[1, Number.NaN, 2]]]) {
        expect(() => bootstrapDifference(bad, others, options)).toThrow(RangeError);
        expect(() => bootstrapDifference(runs, bad, options)).toThrow(RangeError);
      }
      for (const bad of [{ replicates: 1 }, { level: 1 }, { seed: -1 }])
        expect(() => bootstrapDifference(runs, others, { ...options, ...bad })).toThrow(RangeError);
    });
  },
);

describe('makeRandom', () => {
  it('is uniform, and the same numbers come singly or in bulk', () => {
    const bulk = new Uint32Array(16_000);
    makeRandom(42).fill(bulk);
    const single = makeRandom(42);
    expect(Array.from({ length: 5 }, () => single.next())).toEqual(Array.from(bulk.subarray(0, 5)));
    const cells = new Array<number>(16).fill(0);
    for (const value of bulk) cells[value >>> 28]! += 1;
    const chi2 = cells.reduce((total, count) => total + (count - 1000) ** 2 / 1000, 0);
    expect(chi2).toBeLessThan(37.7); // 0.1 % point of chi-square with 15 degrees of freedom
    expect(new Set([0, 1, 2 ** 32, 2 ** 40].map((seed) => makeRandom(seed).next())).size).toBe(4);
  });
  it('refuses seeds that are no whole numbers', () => {
    for (const seed of [-1, 0.5, Number.NaN, 2 ** 53]) expect(() => makeRandom(seed)).toThrow(RangeError);
  });
});
