import type { HistogramJson } from '@mqttlab/shared/domain/runs/role-result';
import type { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';

/** null when nothing was recorded: an empty histogram has no minimum. */
export function toHistogramJson(histogram: LatencyHistogram): HistogramJson | null {
  const { min, max, ...json } = histogram.toJson();
  return min === null || max === null ? null : { ...json, min, max };
}
