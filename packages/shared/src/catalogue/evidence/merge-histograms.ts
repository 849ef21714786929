import type { HistogramJson } from '../../domain/runs/role-result.ts';

/**
 * Adds the sparse counters as they are stored: making a dense histogram of each would cost more than everything
 * else of a comparison. Those of another layout than the first are left out, for their buckets mean something else.
 * null without a value. Pure.
 */
export function mergeHistograms(histograms: Iterable<HistogramJson>): HistogramJson | null {
  let pooled: HistogramJson | null = null;
  const counts = new Map<number, number>();
  for (const next of histograms) {
    if (next.count === 0 || (pooled && !isAlike(pooled, next))) continue;
    for (let i = 0; i < next.buckets.length; i += 2) {
      const index = next.buckets[i] ?? 0;
      counts.set(index, (counts.get(index) ?? 0) + (next.buckets[i + 1] ?? 0));
    }
    pooled = pooled ? addTotals(pooled, next) : next;
  }
  if (!pooled) return null;
  return { ...pooled, buckets: [...counts].sort(([a], [b]) => a - b).flat() };
}

function isAlike(a: HistogramJson, b: HistogramJson): boolean {
  return a.lowest === b.lowest && a.highest === b.highest && a.digits === b.digits;
}

function addTotals(a: HistogramJson, b: HistogramJson): HistogramJson {
  return {
    ...a,
    count: a.count + b.count,
    min: Math.min(a.min ?? Number.POSITIVE_INFINITY, b.min ?? Number.POSITIVE_INFINITY),
    max: Math.max(a.max ?? Number.NEGATIVE_INFINITY, b.max ?? Number.NEGATIVE_INFINITY),
    sum: a.sum + b.sum,
    sumSquares: a.sumSquares + b.sumSquares,
    overflow: a.overflow + b.overflow,
    underflow: a.underflow + b.underflow,
  };
}
