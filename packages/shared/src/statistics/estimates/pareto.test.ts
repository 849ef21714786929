import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { rankPareto } from './pareto.ts';

const points = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), {
  maxLength: 25,
});

describe('rankPareto', () => {
  it('puts on the front exactly what nothing dominates, and each layer above the next', () => {
    fc.assert(
      fc.property(points, (all) => {
        const { front, rank, dominatedBy } = rankPareto(all);
        expect(front.length > 0).toBe(all.length > 0);
        all.forEach((_, i) => {
          expect(front.includes(i)).toBe(dominatedBy[i]!.length === 0);
          const above = dominatedBy[i]!.map((j) => rank[j]!);
          expect(rank[i]).toBe(1 + Math.max(0, ...above));
        });
      }),
    );
  });
  it('ignores rising transforms of an axis and follows a permutation', () => {
    fc.assert(
      fc.property(points, (all) => {
        const { rank } = rankPareto(all);
        expect(rankPareto(all.map(([x, y]) => [Math.exp(x), y ** 3 - 5])).rank).toEqual(rank);
        expect(rankPareto(all.toReversed()).rank).toEqual(rank.toReversed());
      }),
    );
  });
  it('takes three objectives and refuses broken points', () => {
    expect(
      rankPareto([
        [1, 2, 3],
        [1, 2, 2],
        [2, 1, 9],
      ]).front,
    ).toEqual([1, 2]);
    expect(() => rankPareto([[1, 2], [1]])).toThrow(RangeError);
    expect(() => rankPareto([[1, Number.NaN]])).toThrow(RangeError);
  });
});
