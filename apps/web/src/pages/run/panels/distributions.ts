import type { HistogramBin, Quantile } from '@mqttlab/charts/kinds/histogram';
import { latencyBoundUs, latencyKind } from '@mqttlab/shared/catalogue/evidence/evidence';
import { mergeResults } from '@mqttlab/shared/catalogue/evidence/merge-results';
import { enoughFor } from '@mqttlab/shared/catalogue/metrics/latency';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import type { HistogramJson, HistogramName, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatCount } from '@mqttlab/shared/format/number';
import { formatQuantity, NBSP } from '@mqttlab/shared/format/quantity';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';

/** A distribution stored with a run. */
export interface Distribution {
  id: string;
  role: Role;
  label: string;
  /** Quantity on the axis: "latency". */
  quantity: string;
  /** Counted items: "messages". */
  noun: string;
  unit: DistributionUnit;
  histogram: HistogramJson;
}

interface Look extends Omit<Distribution, 'role' | 'histogram'> {
  /** Returns the histogram of the distribution. Default: the histogram with the same id. */
  of?: (result: RoleResult) => HistogramJson | null | undefined;
}

const connections = { noun: 'connections', unit: 'ms', quantity: 'time' } as const;
const messages = { noun: 'messages', unit: 'ms', quantity: 'latency' } as const;
const cipher = { noun: 'messages', unit: 'µs', quantity: 'time' } as const;

/** Distributions in menu order. */
const looks: readonly Look[] = [
  { id: 'latency', label: 'Message latency', ...messages, of: (result) => result.latency },
  { id: 'roundTrip', label: 'Round trip', ...messages },
  { id: 'exchange', label: 'Exchange, due to answered', ...messages, quantity: 'time' },
  { id: 'readingAge', label: 'Reading age', noun: 'readings', unit: 'ms', quantity: 'age' },
  { id: 'phase.set-up', label: 'Connection set-up', ...connections },
  { id: 'phase.tcp', label: 'Phase tcp', ...connections },
  { id: 'phase.tls', label: 'Phase tls', ...connections },
  { id: 'phase.connect', label: 'Phase connect', ...connections },
  { id: 'phase.subscribe', label: 'Phase subscribe', ...connections },
  { id: 'encryption', label: 'Encryption', ...cipher },
  { id: 'decryption', label: 'Decryption', ...cipher },
  {
    id: 'lateness',
    label: 'Lateness of the generator',
    ...messages,
    quantity: 'lateness',
    of: (result) => result.lateness,
  },
];

/** Returns the non-empty distributions. Labels include the role if two devices have the same distribution. */
export function distributionsOf(run: Pick<RunDetail, 'results'>): Distribution[] {
  return looks.flatMap(({ of, ...look }) => {
    const found = roles.flatMap((role) => {
      const together = mergeResults(run.results.filter((result) => result.role === role));
      const json = together && (of ? of(together) : together.histograms[look.id as HistogramName]);
      return json && json.count > 0 ? [{ ...look, role, histogram: json }] : [];
    });
    return found.length < 2
      ? found
      : found.map((one) => ({ ...one, id: `${one.id} ${one.role}`, label: `${one.label}, ${one.role}` }));
  });
}

type Evidence = Pick<RunDetail, 'results' | 'treatment'>;

const evidenceOf = ({ results, treatment }: Evidence) => ({ spec: treatment.spec, results });

/**
 * Returns the distribution shown by default: the latency that the verdicts use, otherwise the first
 * distribution.
 */
export function leadingDistribution(run: Evidence, all: readonly Distribution[]): Distribution | undefined {
  const wanted = latencyKind(evidenceOf(run)) === 'round-trip' ? 'roundTrip' : 'latency';
  return all.find((one) => one.id === wanted) ?? all[0];
}

/** Describes the clocks behind a latency and their maximum error; empty if no clocks are compared. */
export function describeClocks(run: Evidence, id: string): string {
  const evidence = evidenceOf(run);
  const boundUs = latencyBoundUs(evidence);
  const bound = boundUs === null ? '' : `±${formatQuantity(boundUs / 1000, 'ms')}`;
  if (id === 'roundTrip') {
    if (latencyKind(evidence) !== 'round-trip') return 'Round trip, measured with one clock.';
    return boundUs === null
      ? 'Round trip, because the clocks were not compared.'
      : `Round trip, because the clock error of one-way latency (${bound}) exceeds 10${NBSP}% of its median.`;
  }
  if (id !== 'latency' && id !== 'readingAge') return '';
  if (boundUs === null) return 'One way; the clocks of the devices were not compared.';
  return boundUs === 0 ? 'One way, measured with one clock.' : `One way, clock error ${bound}.`;
}

/** Explains why a run has no distribution. */
export function whyNoDistribution({ failure, treatment }: Pick<RunDetail, 'failure' | 'treatment'>): string {
  if (failure !== null) return 'The run failed before anything was timed.';
  return treatment.spec.workload === 'states'
    ? 'This workload counts bytes and measures no times.'
    : 'No message arrived with a readable time stamp, so no latency was measured.';
}

/** Units of distributions per µs. */
const unitsPerUs = { ms: 1e-3, µs: 1 } as const;
type DistributionUnit = keyof typeof unitsPerUs;

/** A histogram in the unit of its chart, ready to draw. */
export interface DistributionView {
  count: number;
  bins: HistogramBin[];
  /** P50, P95, P99 and P99.9, without those that need more values. */
  quantiles: Quantile[];
  /** Omitted quantiles with the reason; empty if none is omitted. */
  leftOut: string;
  maximum: number;
  /** True if the tail is so long that a linear axis would show a single bar. */
  isLongTailed: boolean;
  curve: { percentile: number; value: number }[];
}

const shown = [50, 95, 99, 99.9];
const fineBins = 400;
const curvePoints = 120;

interface ViewRequest {
  histogram: HistogramJson;
  unit: DistributionUnit;
  /** Counted items: "messages". */
  noun: string;
}

/** Returns the view of a distribution; null if it is empty. */
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

/** Merges histograms into an outline whose counts are scaled to `count` values. */
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

/** Returns true if the furthest quantile shown is more than ten times the median. */
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
