import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { adjustBenjaminiHochberg, adjustBonferroni, adjustHolm } from './multiple-testing.ts';

const probabilities = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });

describe('multiple testing', () => {
  it('never lowers a p-value, orders BH <= Holm <= Bonferroni, and follows a permutation', () => {
    fc.assert(
      fc.property(probabilities, (p) => {
        const [bh, holm, bonferroni] = [adjustBenjaminiHochberg(p), adjustHolm(p), adjustBonferroni(p)];
        p.forEach((value, i) => {
          expect(bh[i]).toBeGreaterThanOrEqual(value * (1 - 1e-15));
          expect(holm[i]).toBeGreaterThanOrEqual(bh[i]! * (1 - 1e-15));
          expect(bonferroni[i]).toBeGreaterThanOrEqual(holm[i]! * (1 - 1e-15));
          expect(bonferroni[i]).toBeLessThanOrEqual(1);
        });
        expect(adjustHolm(p.toReversed())).toEqual(holm.toReversed());
      }),
    );
  });
  it('refuses what is no probability', () => {
    for (const adjust of [adjustHolm, adjustBonferroni, adjustBenjaminiHochberg]) {
      for (const bad of [[-0.1], [1.1], [0.5, Number.NaN]]) expect(() => adjust(bad)).toThrow(RangeError);
    }
  });
});
