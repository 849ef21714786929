import { enoughFor } from '@mqttlab/shared/catalogue/metrics/latency';
import type { HistogramJson } from '@mqttlab/shared/domain/runs/role-result';
import { formatCount } from '@mqttlab/shared/format/number';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import type { HistogramBin, Quantile } from '../../../charts/datasets/histogram-data.ts';

/** Units of a distribution in µs. */
const unitsPerUs = { ms: 1e-3, µs: 1 } as const;
export type DistributionUnit = keyof typeof unitsPerUs;

/** A histogram in the unit of its chart, ready to draw. */
export interface DistributionView {
  count: number;
  bins: HistogramBin[];
  /** P50, P95, P99 and P99.9 as far as there are enough values. */
  quantiles: Quantile[];
  /** Which are left out, and why; empty when none is. */
  leftOut: string;
  maximum: number;
  /** Its tail lies so far out that a linear axis would show one bar. */
  isLongTailed: boolean;
  curve: { percentile: number; value: number }[];
}

const shown = [50, 95, 99, 99.9];
const fineBins = 400;
const curvePoints = 120;

export interface ViewRequest {
  histogram: HistogramJson;
  unit: DistributionUnit;
  /** What is counted: "messages". */
  noun: string;
}

/** null while it is empty. */
export function makeDistributionView({ histogram: json, unit, noun }: ViewRequest): DistributionView | null {
  if (json.count === 0) return null;
  const histogram = LatencyHistogram.fromJson(json);
  const perUs = unitsPerUs[unit];
  const good = shown.filter((percent) => histogram.count >= enoughFor(percent));
  const missing = shown.filter((percent) => !good.includes(percent));
  const furthest = good.at(-1) ?? 0;
  return {
    count: histogram.count,
    bins: binsOf(histogram, unit),
    quantiles: good.map((percent) => ({
      name: `P${percent}`,
      value: (histogram.percentile(percent) ?? 0) * perUs,
    })),
    leftOut: describeMissing(missing, noun),
    maximum: (histogram.maxUs ?? 0) * perUs,
    isLongTailed: isLongTailed(histogram, furthest),
    curve: histogram
      .cumulative(curvePoints)
      .filter((point) => point.percentile <= furthest)
      .map((point) => ({ percentile: point.percentile, value: point.valueUs * perUs })),
  };
}

function binsOf(histogram: LatencyHistogram, unit: DistributionUnit): HistogramBin[] {
  const perUs = unitsPerUs[unit];
  return histogram
    .bins(fineBins, 'log')
    .map(({ fromUs, toUs, count }) => ({ lo: fromUs * perUs, hi: toUs * perUs, count }));
}

/** Several histograms together as an outline: its counts are scaled, so that it stands for as many values as `count`. */
export function makeOutline(
  histograms: readonly HistogramJson[],
  { unit, count }: { unit: DistributionUnit; count: number },
): HistogramBin[] {
  const filled = histograms.filter((json) => json.count > 0);
  const [first, ...rest] = filled.map((json) => LatencyHistogram.fromJson(json));
  if (!first) return [];
  const pooled = rest.reduce((sum, histogram) => sum.merge(histogram), first);
  const scale = count / pooled.count;
  return binsOf(pooled, unit).map((bin) => ({ ...bin, count: bin.count * scale }));
}

/** The furthest quantile shown is more than ten medians away. */
function isLongTailed(histogram: LatencyHistogram, furthest: number): boolean {
  const median = histogram.percentile(50) ?? 0;
  const far = histogram.percentile(Math.min(furthest, 99)) ?? 0;
  return median > 0 && far > 10 * median;
}

function describeMissing(missing: readonly number[], noun: string): string {
  const [first] = missing;
  if (first === undefined) return '';
  const names = missing.map((percent) => `P${percent}`);
  const needs = missing.map((percent) => formatCount(enoughFor(percent)));
  const verb = names.length === 1 ? 'is' : 'are';
  const it = names.length === 1 ? 'it needs' : 'they need';
  return `${names.join(' and ')} ${verb} left out: ${it} ${needs.join(' and ')} ${noun}.`;
}
