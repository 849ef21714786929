import { describe, expect, it } from 'vitest';
import { displayBins, histogramRange, histogramTable } from './histogram.ts';

const bins = [
  { lo: 8, hi: 10, count: 40 },
  { lo: 10, hi: 20, count: 100 },
  { lo: 20, hi: 40, count: 20 },
  { lo: 900, hi: 910, count: 1 },
];
const total = (list: readonly { count: number }[]) => list.reduce((sum, bin) => sum + bin.count, 0);

describe('displayBins', () => {
  it('keeps the number of messages inside the range', () => {
    const shown = displayBins(bins, { scale: 'linear', from: 0, to: 50 }, 45);
    expect(shown).toHaveLength(45);
    expect(total(shown)).toBeCloseTo(160, 6);
  });

  it('distributes a wide bin evenly', () => {
    const shown = displayBins([{ lo: 0, hi: 10, count: 100 }], { scale: 'linear', from: 0, to: 10 }, 5);
    expect(shown.map((bin) => Math.round(bin.count))).toEqual([20, 20, 20, 20, 20]);
  });

  it('has equal ratios on a logarithmic axis', () => {
    const shown = displayBins(bins, { scale: 'log', from: 1, to: 1000 }, 3);
    expect(shown.map((bin) => Math.round(bin.hi))).toEqual([10, 100, 1000]);
    expect(total(shown)).toBeCloseTo(161, 6);
  });
});

describe('histogramRange', () => {
  const quantiles = [{ name: 'P99', value: 38 }];

  it('cuts a far tail on a linear axis, never a quantile', () => {
    const range = histogramRange({ bins, quantiles, scale: 'linear' });
    expect(range.to).toBeLessThan(900);
    expect(range.to).toBeGreaterThan(38);
  });

  it('keeps everything on a logarithmic axis', () => {
    const range = histogramRange({ bins, quantiles, scale: 'log' });
    expect(range.from).toBeLessThanOrEqual(8);
    expect(range.to).toBeGreaterThanOrEqual(910);
  });

  it('survives having no messages', () => {
    expect(histogramRange({ bins: [], quantiles: [], scale: 'linear' }).to).toBeGreaterThan(0);
  });
});

describe('histogramTable', () => {
  it('lists quantiles, then bins with messages', () => {
    const table = histogramTable({ bins, quantiles: [{ name: 'P99', value: 38 }], unit: 'ms' });
    expect(table.rows[0]).toEqual(['P99', 38, 38, null]);
    expect(table.rows).toHaveLength(5);
  });
});
