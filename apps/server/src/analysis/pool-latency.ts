import { mergeHistograms } from '@mqttlab/shared/catalogue/evidence/merge-results';
import type { LatencyBox } from '@mqttlab/shared/domain/runs/comparison';
import type { HistogramJson } from '@mqttlab/shared/domain/runs/role-result';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';

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
