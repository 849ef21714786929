import { describe, expect, it } from 'vitest';
import { heatCells, heatTable } from './heat.ts';

const ramp = (count: number) => Array.from({ length: count }, (_, i) => ({ t: i, v: i }));

describe('heatCells', () => {
  it('draws each value over the interval that ends at its time', () => {
    expect(heatCells([{ name: 'core 0', points: ramp(3) }])).toEqual([
      { row: 0, from: -1, to: 0, value: 0 },
      { row: 0, from: 0, to: 1, value: 1 },
      { row: 0, from: 1, to: 2, value: 2 },
    ]);
  });

  it('merges cells narrower than a pixel, without gaps', () => {
    const cells = heatCells([{ name: 'core 0', points: ramp(1000) }]);
    expect(cells.length).toBeLessThanOrEqual(240);
    expect(cells.at(-1)?.to).toBe(999);
    for (const [i, cell] of cells.entries()) if (i > 0) expect(cell.from).toBe(cells[i - 1]?.to);
  });

  it('is empty without points', () => {
    expect(heatCells([{ name: 'core 0', points: [] }])).toEqual([]);
  });
});

describe('heatTable', () => {
  it('keeps every value', () => {
    expect(heatTable([{ name: 'core 0', points: ramp(2) }], { head: 'Core', unit: '%' }).rows).toEqual([
      ['core 0', 0, 0],
      ['core 0', 1, 1],
    ]);
  });
});
