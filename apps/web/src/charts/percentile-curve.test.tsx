import { describe, expect, it } from 'vitest';
import { percentilePosition, percentileTicks } from './percentile-curve.tsx';

const treatment = { index: 1, label: 'Plain', shortLabel: 'Plain' };

describe('percentilePosition', () => {
  it('gives each nine the same room', () => {
    expect(percentilePosition(0)).toBeCloseTo(0);
    expect(percentilePosition(90)).toBeCloseTo(1);
    expect(percentilePosition(99)).toBeCloseTo(2);
    expect(percentilePosition(99.9)).toBeCloseTo(3);
  });

  it('stays finite at 100', () => {
    expect(Number.isFinite(percentilePosition(100))).toBe(true);
  });
});

describe('percentileTicks', () => {
  it('ends where the data ends', () => {
    const series = [{ treatment, points: [{ percentile: 99, value: 38 }] }];
    expect(percentileTicks(series).at(-1)).toBe(99);
  });
});
