import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { makeRandom } from '../randomness/random.ts';
import { findChangePoint, kolmogorovSf } from './change-point.ts';

/** A current trace in mA at 1 Hz: a peak of `peakS` seconds, then a level, with autocorrelated ripple. */
function makeTrace({ peakS = 20, peak = 60, seed = 1, n = 300 } = {}): number[] {
  const random = makeRandom(seed);
  let ripple = 0;
  return Array.from({ length: n }, (_, t) => {
    ripple = 0.5 * ripple + (random.next() / 2 ** 32 - 0.5) * 3;
    return 40 + ripple + (t < peakS ? peak : 0);
  });
}

/** AR(1) around 40, from its stationary distribution. */
function makeConstant({ n, phi, seed }: { n: number; phi: number; seed: number }): number[] {
  const random = makeRandom(seed * 7919 + n);
  // The sum of twelve is normal enough.
  const normal = () =>
    Array.from({ length: 12 }, () => random.next() / 2 ** 32).reduce((sum, value) => sum + value, -6);
  let ripple = normal() / Math.sqrt(1 - phi * phi);
  return Array.from({ length: n }, () => {
    ripple = phi * ripple + normal();
    return 40 + ripple;
  });
}

describe('findChangePoint', () => {
  it('finds the end of the handshake to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 60 }), fc.integer({ min: 0, max: 1e6 }), (peakS, seed) => {
        const found = findChangePoint(makeTrace({ peakS, seed }))!;
        expect(found.index).toBe(peakS);
        // Five values with memory: their mean has a standard error of about 0.7.
        expect(found.meanBefore).toBeCloseTo(100, -1);
        expect(found.meanAfter).toBeCloseTo(40, -0.5);
        expect(found.explained).toBeGreaterThan(0.9);
      }),
    );
    expect(findChangePoint(makeTrace())!.p).toBeLessThan(0.001);
  });

  it.each([60, 100, 300].flatMap((n) => [0, 0.5, 0.8].map((phi) => [n, phi] as const)))(
    'keeps to its error rate in constant series of %i values with memory %d',
    (n, phi) => {
      const series = 1000;
      let alarms = 0;
      for (let seed = 0; seed < series; seed += 1) {
        if (findChangePoint(makeConstant({ n, phi, seed }))!.p < 0.05) alarms += 1;
      }
      // Two percentage points: three standard errors of the simulation.
      expect(alarms / series).toBeLessThan(0.07);
    },
  );

  it('follows shift and scale', () => {
    const trace = makeTrace({ peak: 5 });
    const plain = findChangePoint(trace)!;
    const moved = findChangePoint(trace.map((v) => -3 * v + 1000))!;
    expect(moved.index).toBe(plain.index);
    expect(moved.p).toBeCloseTo(plain.p, 9);
    expect(moved.meanAfter).toBeCloseTo(-3 * plain.meanAfter + 1000, 8);
  });

  it('says nothing about constant, short or broken series', () => {
    for (const bad of [[], [1, 2, 3], [4.1, 4.1, 4.1, 4.1, 4.1, 4.1], [1, 2, 3, Number.NaN, 5, 6, 7]]) {
      expect(findChangePoint(bad)).toBeNull();
    }
    expect(findChangePoint([1, 1, 1, 5, 5, 5])).toMatchObject({ index: 3, explained: 1, p: 0 });
    expect(() => findChangePoint([1, 2], 0)).toThrow(RangeError);
  });

  it('has the Kolmogorov tail of the tables, without a jump between its two series', () => {
    expect(kolmogorovSf(1.3581)).toBeCloseTo(0.05, 4);
    expect(kolmogorovSf(1.6276)).toBeCloseTo(0.01, 4);
    expect(kolmogorovSf(0.6 - 1e-12)).toBeCloseTo(kolmogorovSf(0.6), 10);
    expect(kolmogorovSf(0)).toBe(1);
  });
});
