import { describe, expect, it } from 'vitest';
import { hedgesInterval } from './effect-size-interval.ts';
import { pairedRatioInterval, ratioInterval } from './ratio.ts';

// Reference: roots of scipy 1.17 `nct.sf(t, df, x)` at 0.025 and 0.975, times sqrt(1/n + 1/m) and 1 - 3/(4 df - 1).
const CASES = [
  {
    a: [5, 6, 7, 8, 9],
    b: [4, 5, 5, 6, 7],
    g: 1.04843019370737,
    lo: -0.20647411864868,
    hi: 2.25013405978357,
  },
  { a: [1, 2, 3], b: [11, 12, 13.5], g: -7.15637921304204, lo: -12.0884100336609, hi: -2.27949032751757 },
  {
    a: [3.1, 3.2, 3.0, 3.3],
    b: [3.15, 3.1, 3.2, 3.05],
    g: 0.212999108068105,
    lo: -1.00644637908997,
    hi: 1.41530705599322,
  },
];

describe('hedgesInterval', () => {
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

describe('pairedRatioInterval', () => {
  it('takes what blocks share out of the interval', () => {
    const b = [1, 2, 4, 8];
    const a = [1.11, 2.19, 4.41, 8.79];
    const paired = pairedRatioInterval(a, b);
    const free = ratioInterval(a, b);
    expect(paired?.ratio).toBeCloseTo(1.1, 2);
    expect(paired && free && paired.hi - paired.lo < (free.hi - free.lo) / 10).toBe(true);
  });

  it('is null where a value is not positive, constant or alone', () => {
    expect(pairedRatioInterval([1, 0], [1, 1])).toBeNull();
    expect(pairedRatioInterval([2, 4], [1, 2])).toBeNull();
    expect(pairedRatioInterval([2], [1])).toBeNull();
    expect(() => pairedRatioInterval([1, 2], [1])).toThrow(RangeError);
  });
});
