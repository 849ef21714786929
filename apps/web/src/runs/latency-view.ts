import { enoughFor } from '@mqttlab/shared/catalogue/metrics/latency';
import type { RunDetail } from '@mqttlab/shared/domain/run';
import { formatCount } from '@mqttlab/shared/format/number';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram';
import type { HistogramBin, Quantile } from '../charts/histogram-data.ts';

/** Latency of single messages in ms, ready to draw. */
export interface LatencyView {
  count: number;
  bins: HistogramBin[];
  /** P50, P95, P99 and P99.9 as far as there are messages enough. */
  quantiles: Quantile[];
  /** Which are left out, and why; empty when none is. */
  leftOut: string;
  maximumMs: number;
  /** Its tail lies so far out that a linear axis would show one bar. */
  isLongTailed: boolean;
  curve: { percentile: number; value: number }[];
}

const shown = [50, 95, 99, 99.9];
const fineBins = 400;
const curvePoints = 120;

/** null when the Run measured no latency. */
export function makeLatencyView(run: Pick<RunDetail, 'results'>): LatencyView | null {
  const json = run.results.find((result) => result.role === 'subscriber')?.latency;
  if (!json || json.count === 0) return null;
  const histogram = LatencyHistogram.fromJson(json);
  const good = shown.filter((percent) => histogram.count >= enoughFor(percent));
  const missing = shown.filter((percent) => !good.includes(percent));
  const furthest = good.at(-1) ?? 0;
  return {
    count: histogram.count,
    bins: histogram
      .bins(fineBins, 'log')
      .map(({ fromUs, toUs, count }) => ({ lo: fromUs / 1000, hi: toUs / 1000, count })),
    quantiles: good.map((percent) => ({
      name: `P${percent}`,
      value: (histogram.percentile(percent) ?? 0) / 1000,
    })),
    leftOut: describeMissing(missing),
    maximumMs: (histogram.maxUs ?? 0) / 1000,
    isLongTailed: isLongTailed(histogram, furthest),
    curve: histogram
      .cumulative(curvePoints)
      .filter((point) => point.percentile <= furthest)
      .map((point) => ({ percentile: point.percentile, value: point.valueUs / 1000 })),
  };
}

/** The furthest quantile shown is more than ten medians away. */
function isLongTailed(histogram: LatencyHistogram, furthest: number): boolean {
  const median = histogram.percentile(50) ?? 0;
  const far = histogram.percentile(Math.min(furthest, 99)) ?? 0;
  return median > 0 && far > 10 * median;
}

function describeMissing(missing: readonly number[]): string {
  const [first] = missing;
  if (first === undefined) return '';
  const names = missing.map((percent) => `P${percent}`);
  const needs = missing.map((percent) => formatCount(enoughFor(percent)));
  const verb = names.length === 1 ? 'is' : 'are';
  const it = names.length === 1 ? 'it needs' : 'they need';
  return `${names.join(' and ')} ${verb} left out: ${it} ${needs.join(' and ')} messages.`;
}
