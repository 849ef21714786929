import type { LatencyBox } from '@mqttlab/shared/domain/comparison';
import type { HistogramJson } from '@mqttlab/shared/domain/role-result';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram';

/** Quantiles of all messages of these histograms together, ms; null without a message. Pure. */
export function poolLatency(histograms: Iterable<HistogramJson>): LatencyBox | null {
  const pooled = mergeHistograms(histograms);
  if (!pooled) return null;
  const histogram = LatencyHistogram.fromJson(pooled);
  const ms = (us: number | null) => (us ?? 0) / 1000;
  return {
    messages: histogram.count,
    p5: ms(histogram.percentile(5)),
    p25: ms(histogram.percentile(25)),
    p50: ms(histogram.percentile(50)),
    p75: ms(histogram.percentile(75)),
    p95: ms(histogram.percentile(95)),
    mean: ms(histogram.meanUs),
  };
}

/**
 * Adds the sparse counters as they are stored: making a dense histogram of each would cost more than everything
 * else of a comparison. Those of another layout than the first are left out, for their buckets mean something else.
 */
function mergeHistograms(histograms: Iterable<HistogramJson>): HistogramJson | null {
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
