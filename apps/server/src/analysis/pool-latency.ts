import type { LatencyBox } from '@mqttlab/shared/domain/comparison';
import type { HistogramJson } from '@mqttlab/shared/domain/role-result';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram';

/** Quantiles of all messages of these histograms together, ms; null without a message. Pure. */
export function poolLatency(histograms: readonly HistogramJson[]): LatencyBox | null {
  const pooled = mergeHistograms(histograms);
  if (!pooled || pooled.count === 0) return null;
  const ms = (us: number | null) => (us ?? 0) / 1000;
  return {
    messages: pooled.count,
    p5: ms(pooled.percentile(5)),
    p25: ms(pooled.percentile(25)),
    p50: ms(pooled.percentile(50)),
    p75: ms(pooled.percentile(75)),
    p95: ms(pooled.percentile(95)),
    mean: ms(pooled.meanUs),
  };
}

/** Those of another layout than the first are left out: their buckets mean something else. */
function mergeHistograms(histograms: readonly HistogramJson[]): LatencyHistogram | null {
  const [first, ...rest] = histograms.filter(({ count }) => count > 0);
  if (!first) return null;
  const pooled = LatencyHistogram.fromJson(first);
  for (const json of rest) {
    const alike =
      json.lowest === first.lowest && json.highest === first.highest && json.digits === first.digits;
    if (alike) pooled.merge(LatencyHistogram.fromJson(json));
  }
  return pooled;
}
