import type { ReportContrast, ReportEstimate } from '@mqttlab/shared/domain/report/report';
import { formatInterval } from '@mqttlab/shared/format/interval';
import { formatCount, formatSigned, NO_VALUE } from '@mqttlab/shared/format/number';
import { formatP, NBSP } from '@mqttlab/shared/format/quantity';
import { displayUnit } from '@mqttlab/shared/format/unit';

/**
 * Returns one unit for a whole table, chosen by its largest mean: "ms" values around 0.07 are shown in µs.
 */
export function unitOfEstimates(
  estimates: readonly ReportEstimate[],
  unit: string,
): { unit: string; scale: number } {
  const largest = Math.max(0, ...estimates.map(({ mean }) => Math.abs(mean ?? 0)));
  const display = displayUnit(largest, unit);
  return { unit: display.unit, scale: display.multiplier };
}

/** Returns "18.4 [17.9, 18.8]" in the unit of the table header. */
export function intervalText(
  entry: { value: number | null; lo: number | null; hi: number | null },
  { scale = 1, signed = false }: { scale?: number; signed?: boolean } = {},
): string {
  if (entry.value === null) return NO_VALUE;
  const times = (value: number | null) => (value === null ? undefined : value * scale);
  return formatInterval(
    { value: entry.value * scale, lo: times(entry.lo), hi: times(entry.hi) },
    { unitInHead: true, signed },
  ).text;
}

export function pText(p: number | null): string {
  return p === null ? NO_VALUE : formatP(p);
}

/**
 * Returns a contrast as drawn and written: in percent of the baseline for a ratio, otherwise in the metric's
 * unit.
 */
export function asDrawn({
  scale,
  value,
  lo,
  hi,
}: Pick<ReportContrast, 'scale' | 'value' | 'lo' | 'hi'>): Record<'value' | 'lo' | 'hi', number | null> {
  const drawn = (one: number | null) => (one === null || scale === 'difference' ? one : (one - 1) * 100);
  return { value: drawn(value), lo: drawn(lo), hi: drawn(hi) };
}

export function effectText({ hedgesG, gLo, gHi }: ReportContrast): string {
  if (hedgesG === null) return NO_VALUE;
  if (gLo === null || gHi === null) return formatSigned(hedgesG, 2);
  return intervalText({ value: hedgesG, lo: gLo, hi: gHi }, { signed: true });
}

/**
 * Returns "n = 5 runs for each treatment" or "n = 3 to 5 runs for each treatment"; empty if there are none.
 */
export function countWords(counts: readonly number[], noun = 'run', of = 'for each treatment'): string {
  const some = counts.filter((count) => count > 0);
  if (some.length === 0) return '';
  const [least, most] = [Math.min(...some), Math.max(...some)];
  const whose = some.length < counts.length ? `${of} that has any` : of;
  const range = least === most ? formatCount(most) : `${formatCount(least)} to ${formatCount(most)}`;
  return `n${NBSP}=${NBSP}${range} ${noun}${most === 1 ? '' : 's'} ${whose}`;
}

/** Describes the number of runs behind the means of a metric. */
export function runsWords(estimates: readonly ReportEstimate[]): string {
  return countWords(estimates.map(({ n }) => n));
}

/**
 * Returns "whiskers: Student’s 95 % t interval over runs", or a note that there is no interval, as for a
 * single run.
 */
export function spreadWords(what: string, intervals: readonly { lo: number | null }[]): string {
  return intervals.some(({ lo }) => lo !== null)
    ? `${what}: Student’s 95 % t interval over runs`
    : `without ${what}, as there is no interval`;
}

/** Variants of other metrics, and checks of the run, which only the long table contains. */
const variants = [
  /^latency\.(min|max|sd|mean|p5|p25|p75|p999)$/,
  /^exchange\.(?!p50$)/,
  /^(readingAge|cpuDevice|cpuPerMessage|lateness|clock|start|count|temperature|frequency|throttling)/,
  /^memory\..*(mean|proportional)$/,
  /^rate\.(readings|goodput)$/,
  /^(wire\.overhead|tcp\.)/,
  /^perf\.(?!instructions)/,
  /^(energy|energyNet|power|current|charge|batteryLife)\.(?!total$)/,
  /^(power|current|charge|energyPerMessageNet)\.total$/,
  /^connection\..*p95$/,
  /^(randomness|bridge\.apEn|encryption\.mean|decryption\.mean|payload\.cpuShare)/,
];

/** Returns true for a metric that is omitted if there is room for some metrics only. */
export function isVariant(metric: string): boolean {
  return variants.some((pattern) => pattern.test(metric));
}
