import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { fitLine, lineAt, predictCrossing } from './linear-fit.ts';

// Message rate (1/s) and CPU (%); expected figures: scipy.stats.linregress 1.17.
const rate = [100, 200, 300, 400, 500];
const cpu = [7.9, 14.2, 20.8, 26.1, 33.4];
const LINREGRESS = {
  stderr: 0.0014910846164230582,
  interceptStderr: 0.49453682033462876,
  p: 2.931890715471635e-5,
  r2: 0.9983169655924179,
};

describe('fitLine', () => {
  it('agrees with linregress', () => {
    const fit = fitLine(rate, cpu)!;
    expect(fit.slope).toBeCloseTo(0.0629, 12);
    expect(fit.intercept).toBeCloseTo(1.6099999999999994, 10);
    expect(fit.seSlope).toBeCloseTo(LINREGRESS.stderr, 12);
    expect(fit.seIntercept).toBeCloseTo(LINREGRESS.interceptStderr, 10);
    expect(fit.p).toBeCloseTo(LINREGRESS.p, 10);
    expect(fit.r2).toBeCloseTo(LINREGRESS.r2, 12);
  });

  it('has a band that is narrowest at the mean, inside the prediction band', () => {
    const fit = fitLine(rate, cpu)!;
    const width = (x: number) => lineAt(fit, x).hi - lineAt(fit, x).lo;
    expect(width(300)).toBeLessThan(width(200));
    expect(width(300)).toBeLessThan(width(400));
    const { y, lo, hi, newLo, newHi } = lineAt(fit, 600);
    expect([newLo < lo, lo < y, y < hi, hi < newHi]).toEqual([true, true, true, true]);
    expect(width(0) / 2).toBeCloseTo(3.182446305284263 * fit.seIntercept, 8);
  });

  it('predicts saturation where the band crosses the limit', () => {
    fc.assert(
      fc.property(fc.double({ min: -100, max: 200, noNaN: true }), fc.boolean(), (limit, falling) => {
        const fit = fitLine(rate, falling ? cpu.map((v) => -v) : cpu)!;
        const { x, lo, hi } = predictCrossing(fit, limit)!;
        expect(lineAt(fit, x).y).toBeCloseTo(limit, 8);
        expect(lo).toBeLessThan(x);
        expect(hi).toBeGreaterThan(x);
        for (const end of [lo, hi]) {
          const { lo: low, hi: high } = lineAt(fit, end);
          expect(Math.min(Math.abs(low - limit), Math.abs(high - limit))).toBeLessThan(1e-7);
        }
      }),
    );
  });

  it('predicts nothing from a slope that may be flat', () => {
    expect(predictCrossing(fitLine([1, 2, 3, 4], [5, 4, 6, 5])!, 100)).toBeNull();
  });

  it('says nothing about too little or broken data', () => {
    const nan = Number.NaN;
    for (const [x, y] of [
      [[], []],
      [
        [1, 2],
        [1, 2],
      ],
      [
        [2, 2, 2],
        [1, 2, 3],
      ],
      [
        [1, 2, 3],
        [4, 4, 4],
      ],
      [
        [1, nan, 3],
        [1, 2, 4],
      ],
    ]) {
      expect(fitLine(x!, y!)).toBeNull();
    }
    expect(() => fitLine([1, 2, 3], [1, 2])).toThrow(RangeError);
    expect(() => lineAt(fitLine(rate, cpu)!, 1, 2)).toThrow(RangeError);
    const perfect = fitLine([1, 2, 3], [2, 4, 6])!;
    expect(perfect).toMatchObject({ slope: 2, residualSd: 0, p: 0, r2: 1 });
    expect(predictCrossing(perfect, 10)).toEqual({ x: 5, lo: 5, hi: 5 });
  });
});
