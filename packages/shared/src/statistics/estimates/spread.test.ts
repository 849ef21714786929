import { describe, expect, it } from 'vitest';
import { chiSquareQuantile, pooledSpread } from './spread.ts';

describe('pooledSpread', () => {
  it('has the chi-square interval, in closed form for two degrees of freedom', () => {
    for (const upper of [0.975, 0.5, 0.025, 1e-6]) {
      expect(chiSquareQuantile(upper, 2)).toBeCloseTo(-2 * Math.log(upper), 9);
    }
    // Tabulated: 0.025 of 10 degrees of freedom.
    expect(chiSquareQuantile(0.025, 10)).toBeCloseTo(20.4832, 4);
    const found = pooledSpread([[1, 2, 3]]);
    expect(found).toMatchObject({ sd: 1, df: 2 });
    expect(found?.lo).toBeCloseTo(Math.sqrt(2 / (-2 * Math.log(0.025))), 9);
    expect(found?.hi).toBeCloseTo(Math.sqrt(2 / (-2 * Math.log(0.975))), 9);
  });

  it('pools groups whatever their means, and leaves out those of one value', () => {
    expect(pooledSpread([[1, 2, 3], [101, 102, 103], [7]])).toMatchObject({ sd: 1, df: 4 });
    expect(pooledSpread([[7], []])).toBeNull();
  });
});
