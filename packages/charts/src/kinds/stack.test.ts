import { describe, expect, it } from 'vitest';
import { stackedAxis, stackedTable, totalOf } from './stack.ts';

const data = {
  parts: ['sent', 'received'],
  bars: [
    { name: 'CON', parts: [700, 1800] },
    { name: 'SUB', parts: [40, 30] },
  ],
};

describe('stacked bars', () => {
  it('add up', () => {
    expect(data.bars.map(totalOf)).toEqual([2500, 70]);
    expect(stackedTable(data, { head: 'State', unit: 'B' }).rows).toEqual([
      ['CON', 700, 1800, 2500],
      ['SUB', 40, 30, 70],
    ]);
  });

  it('fit their axis, which begins at zero', () => {
    const axis = stackedAxis(data);
    expect(axis.min).toBe(0);
    expect(axis.max).toBeGreaterThanOrEqual(2500);
  });
});
