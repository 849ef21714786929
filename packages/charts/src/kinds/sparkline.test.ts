import { describe, expect, it } from 'vitest';
import { linePath, sparkMarks } from './sparkline.ts';

describe('linePath', () => {
  it('stays inside its box and leaves space for future values', () => {
    const { d, end } = linePath([0, 5, 10], { width: 96, height: 22, range: [0, 10], capacity: 6 });
    expect(d.startsWith('M0 18')).toBe(true);
    expect(end).toEqual({ x: 36.8, y: 4 });
  });

  it('draws a level line for equal values and nothing for none', () => {
    expect(linePath([3, 3], { width: 96, height: 22 }).d).toMatch(/^M0 (\S+)L92 \1$/);
    expect(linePath([], { width: 96, height: 22 })).toEqual({ d: '', end: null });
  });
});

describe('sparkMarks', () => {
  const mark = (value: number) => ({ index: 1, value, lo: value * 0.9, hi: value * 1.1 });

  it('places larger values higher and joins groups', () => {
    const { placed, links } = sparkMarks([mark(1), mark(2), mark(4), mark(8)], {
      width: 96,
      height: 36,
      groupSize: 2,
    });
    expect(placed.map((one) => one.y)).toEqual([...placed.map((one) => one.y)].sort((a, b) => b - a));
    expect(links).toHaveLength(2);
    expect(placed.at(-1)!.x).toBeLessThanOrEqual(96);
  });

  it('omits values without a logarithm', () => {
    expect(sparkMarks([mark(0)], { width: 96, height: 36, groupSize: 1 }).placed).toEqual([]);
  });
});
