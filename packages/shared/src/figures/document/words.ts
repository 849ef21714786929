import type { ReportContrast, ReportEstimate } from '../../domain/report.ts';
import { formatInterval } from '../../format/interval.ts';
import { formatNumber, formatSigned, NO_VALUE } from '../../format/number.ts';
import { formatP } from '../../format/quantity.ts';
import { displayUnit } from '../../format/unit.ts';

/** One unit for a whole table, from its largest mean: "ms" values around 0.07 read as µs. */
export function unitOfEstimates(
  estimates: readonly ReportEstimate[],
  unit: string,
): { unit: string; scale: number } {
  const largest = Math.max(0, ...estimates.map(({ mean }) => Math.abs(mean ?? 0)));
  const display = displayUnit(largest, unit);
  return { unit: display.unit, scale: display.multiplier };
}

/** "18.4 [17.9, 18.8]" in the given unit, which stands in the head. */
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

export function percentText({ percent, percentLo, percentHi }: ReportContrast): string {
  return intervalText({ value: percent, lo: percentLo, hi: percentHi }, { signed: true });
}

export function effectText({ hedgesG, gLo, gHi }: ReportContrast): string {
  if (hedgesG === null) return NO_VALUE;
  if (gLo === null || gHi === null) return formatSigned(hedgesG, 2);
  return intervalText({ value: hedgesG, lo: gLo, hi: gHi }, { signed: true });
}

export function shareText(share: number | null): string {
  return share === null ? NO_VALUE : `${formatNumber(share * 100, 2)} %`;
}
