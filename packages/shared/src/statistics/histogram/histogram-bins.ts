/** Count of values in [fromUs, toUs). */
export interface HistogramBin {
  fromUs: number;
  toUs: number;
  count: number;
}

interface BinRange {
  bins: number;
  fromUs: number;
  toUs: number;
  scale: 'linear' | 'log';
}

/** Equally wide (or equally wide in log) edges from `fromUs`, above 0 on a log axis, to `toUs`. */
export function makeBinEdges({ bins, fromUs, toUs, scale }: BinRange): number[] {
  if (!Number.isInteger(bins) || bins < 1)
    throw new RangeError(`the number of bins must be >= 1, got ${bins}`);
  const edges = Array.from({ length: bins + 1 }, (_, i) =>
    scale === 'log' ? fromUs * (toUs / fromUs) ** (i / bins) : fromUs + ((toUs - fromUs) * i) / bins,
  );
  edges[bins] = toUs;
  return edges;
}

/**
 * Sums finer bins into coarser ones; each fine bin goes where its middle lies.
 * What lies below the first or above the last edge is left out. Throws RangeError unless edges ascend.
 */
export function tallyBins(edges: readonly number[], fine: Iterable<HistogramBin>): HistogramBin[] {
  if (edges.length < 2 || edges.some((edge, i) => i > 0 && !(edge > edges[i - 1]!))) {
    throw new RangeError('bin edges must be at least two and strictly ascending');
  }
  const bins = edges.slice(1).map((toUs, i) => ({ fromUs: edges[i]!, toUs, count: 0 }));
  let at = 0;
  for (const { fromUs, toUs, count } of fine) {
    const middle = (fromUs + toUs) / 2;
    while (at < bins.length && middle >= bins[at]!.toUs) at += 1;
    if (at === bins.length) break;
    if (middle >= bins[at]!.fromUs) bins[at]!.count += count;
  }
  return bins;
}
