import { describe, expect, it } from 'vitest';
import { percentilePosition, percentileTicks } from './percentile.ts';

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
    expect(percentileTicks([0, 99]).at(-1)).toBe(99);
  });
});
