import { columnsOf } from '@mqttlab/charts/table';
import { formatNumber } from '@mqttlab/shared/format/number';
import type { ChartTable } from './chart-table.ts';

/** Messages with lo <= latency < hi; bins may differ in width, as an HDR histogram's do. */
export type HistogramBin = { lo: number; hi: number; count: number };

export type Quantile = { name: string; value: number };

export type HistogramScale = 'linear' | 'log';

export type HistogramRange = { scale: HistogramScale; from: number; to: number };

/**
 * Bins of equal width on the chosen axis (equal ratio on a logarithmic one). Counts are shared out by overlap,
 * so that their sum inside the range is kept and unequal source bins do not change the shape.
 */
export function displayBins(
  bins: readonly HistogramBin[],
  range: HistogramRange,
  count: number,
): HistogramBin[] {
  const { scale, from, to } = range;
  const place = (value: number) => (scale === 'log' ? Math.log(value) : value);
  const back = (position: number) => (scale === 'log' ? Math.exp(position) : position);
  const start = place(from);
  const step = (place(to) - start) / count;
  const shown = Array.from({ length: count }, (_, i) => ({
    lo: back(start + i * step),
    hi: back(start + (i + 1) * step),
    count: 0,
  }));
  for (const bin of bins) {
    if (bin.count === 0 || bin.hi <= from || bin.lo >= to) continue;
    const lo = place(Math.max(bin.lo, scale === 'log' ? from / 1e6 : bin.lo));
    const hi = place(bin.hi);
    const first = Math.max(0, Math.floor((lo - start) / step));
    const last = Math.min(count - 1, Math.floor((hi - start) / step));
    for (const [i, part] of shown.slice(first, last + 1).entries()) {
      const from = start + (first + i) * step;
      const overlap = Math.min(hi, from + step) - Math.max(lo, from);
      const share = hi > lo ? Math.max(0, overlap) / (hi - lo) : 1;
      part.count += bin.count * share;
    }
  }
  return shown;
}

export type RangeRequest = {
  bins: readonly HistogramBin[];
  quantiles: readonly Quantile[];
  scale: HistogramScale;
};

/** Holds every quantile; a tail far beyond them is cut, and the chart then says where its maximum lies. */
export function histogramRange({ bins, quantiles, scale }: RangeRequest): HistogramRange {
  const used = bins.filter((bin) => bin.count > 0);
  const lowest = Math.min(...used.map((bin) => bin.lo), Number.POSITIVE_INFINITY);
  const highest = Math.max(...used.map((bin) => bin.hi), 0);
  const top = Math.max(0, ...quantiles.map((quantile) => quantile.value));
  if (!(highest > 0)) return { scale, from: scale === 'log' ? 0.1 : 0, to: 1 };
  if (scale === 'log') {
    const from = Math.max(lowest, highest / 1e6);
    return { scale, from: from * 0.9, to: highest * 1.05 };
  }
  return { scale, from: 0, to: top > 0 ? Math.max(top * 1.1, Math.min(highest, top * 1.8)) : highest };
}

export type HistogramTableRequest = {
  bins: readonly HistogramBin[];
  quantiles: readonly Quantile[];
  unit: string;
  /** What is counted: "messages". */
  noun?: string;
};

export function histogramTable({
  bins,
  quantiles,
  unit,
  noun = 'messages',
}: HistogramTableRequest): ChartTable {
  return {
    columns: columnsOf('What', ['From', unit], ['To', unit], {
      head: noun.charAt(0).toUpperCase() + noun.slice(1),
      format: (value) => formatNumber(value, 6),
    }),
    rows: [
      ...quantiles.map((quantile) => [quantile.name, quantile.value, quantile.value, null]),
      ...bins.filter((bin) => bin.count > 0).map((bin) => ['bin', bin.lo, bin.hi, bin.count]),
    ],
  };
}
