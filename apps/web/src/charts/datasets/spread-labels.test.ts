import { describe, expect, it } from 'vitest';
import { spreadLabels } from './spread-labels.ts';

describe('spreadLabels', () => {
  it('leaves labels alone that have room', () => {
    expect(spreadLabels([10, 40, 80], { gap: 14, min: 0, max: 100 })).toEqual([10, 40, 80]);
  });

  it('moves neighbours apart by equal amounts', () => {
    const [a, b] = spreadLabels([50, 52], { gap: 14, min: 0, max: 100 });
    expect(b! - a!).toBeGreaterThanOrEqual(13.9);
    expect((a! + b!) / 2).toBeCloseTo(51, 1);
  });

  it('keeps order and bounds when all wish for the same place', () => {
    const ys = spreadLabels([98, 99, 97], { gap: 14, min: 0, max: 100 });
    expect(Math.max(...ys)).toBeLessThanOrEqual(100.01);
    expect(ys[2]).toBeLessThan(ys[0]!);
    expect(ys[0]).toBeLessThan(ys[1]!);
  });

  it('takes nothing', () => {
    expect(spreadLabels([], { gap: 14, min: 0, max: 100 })).toEqual([]);
  });
});
