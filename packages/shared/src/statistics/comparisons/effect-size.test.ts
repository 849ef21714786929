import { describe, expect, it } from 'vitest';
import { effectPValues, hedgesInterval, standardisedDifference } from './effect-size.ts';

// Reference: roots of scipy 1.17 `nct.sf(t, df, x)` at 0.025 and 0.975, times sqrt(1/n + 1/m).
const CASES = [
  {
    a: [5, 6, 7, 8, 9],
    b: [4, 5, 5, 6, 7],
    g: 1.04843019370737,
    lo: -0.22859634564675,
    hi: 2.49121985190324,
  },
  { a: [1, 2, 3], b: [11, 12, 13.5], g: -7.15637921304204, lo: -15.1105125420761, hi: -2.84936290939696 },
  {
    a: [3.1, 3.2, 3.0, 3.3],
    b: [3.15, 3.1, 3.2, 3.05],
    g: 0.212999108068105,
    lo: -1.15741333595347,
    hi: 1.6276031143922,
  },
];

describe('effectPValues', () => {
  it.each(CASES)('of a bound of the 95 % interval is 0.05: g = $g', ({ a, b, lo, hi }) => {
    expect(effectPValues(a, b, lo)?.above).toBeCloseTo(0.05, 5);
    expect(effectPValues(a, b, hi)?.below).toBeCloseTo(0.05, 5);
    expect(effectPValues([1, 1], [2, 2], 0)).toBeNull();
  });
});

describe('hedgesInterval', () => {
  it('has the right limits for a very large effect', () => {
    // Two groups of five with a pooled sd of 1 and d = 2958; limits by quadrature of the non-central t distribution.
    const spread = [-1, -1, 0, 1, 1];
    const found = hedgesInterval(
      spread.map((one) => 2958 + one),
      spread,
    );
    expect(found!.lo / 1544.025348).toBeCloseTo(1, 5);
    expect(found!.hi / 4379.257561).toBeCloseTo(1, 5);
    const turned = hedgesInterval(
      spread,
      spread.map((one) => 2958 + one),
    );
    expect(turned!.lo / found!.hi).toBeCloseTo(-1, 6);
    expect(turned!.hi / found!.lo).toBeCloseTo(-1, 6);
  });

  it('ends for groups that hardly spread, with the limits of a chi distribution', () => {
    const around = (centre: number) => [centre - 1e-9, centre, centre + 1e-9];
    const found = hedgesInterval(around(2), around(1));
    const d = standardisedDifference(around(2), around(1)).cohensD ?? Number.NaN;
    // Quantiles of chi-squared with 4 degrees of freedom: 0.484419 at 2.5 %, 11.143287 at 97.5 %.
    expect((found?.lo ?? 0) / d).toBeCloseTo(Math.sqrt(0.484419 / 4), 4);
    expect((found?.hi ?? 0) / d).toBeCloseTo(Math.sqrt(11.143287 / 4), 4);
  });

  it.each(CASES)('inverts the non-central t distribution: g = $g', ({ a, b, g, lo, hi }) => {
    const found = hedgesInterval(a, b);
    expect(found?.g).toBeCloseTo(g, 10);
    expect(found?.lo).toBeCloseTo(lo, 5);
    expect(found?.hi).toBeCloseTo(hi, 5);
  });

  it('turns its sign with the groups, and does not change with unit or offset', () => {
    const [{ a, b }] = CASES as [(typeof CASES)[0]];
    const found = hedgesInterval(a, b);
    const turned = hedgesInterval(b, a);
    expect(turned?.lo).toBeCloseTo(-(found?.hi ?? 0), 6);
    const scaled = hedgesInterval(
      a.map((value) => 1000 * value + 7),
      b.map((value) => 1000 * value + 7),
    );
    expect(scaled?.hi).toBeCloseTo(found?.hi ?? 0, 6);
  });

  it('is null without spread or with one value', () => {
    expect(hedgesInterval([1, 1], [2, 2])).toBeNull();
    expect(hedgesInterval([1], [2, 3])).toBeNull();
  });
});
