import type { RunEnergy } from '../domain/runs/role-result.ts';
import { decimalsFor, formatFixed, formatNumber, formatSigned, NO_VALUE } from './number.ts';
import { displayUnit } from './unit.ts';

/** No line break between a figure and its unit. */
export const NBSP = '\u00a0';

export type QuantityFormat = { significant?: number; signed?: boolean };

/** "18.4 ms", "2.21 kB", "21.9 k msg/s": three significant digits and the SI prefix that fits; whole numbers stay whole. */
export function formatQuantity(value: number, unit: string, format: QuantityFormat = {}): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  const { significant = 3, signed = false } = format;
  const display = displayUnit(value, unit);
  const shown = value * display.multiplier;
  const isWhole = display.multiplier === 1 && Number.isInteger(value);
  const decimals = isWhole ? 0 : decimalsFor(shown, significant);
  const figure = signed ? formatSigned(shown, decimals) : formatFixed(shown, decimals);
  return display.unit ? `${figure}${NBSP}${display.unit}` : figure;
}

/** Decimal bytes: "124 B", "2.21 kB", "6.20 GB". */
export function formatBytes(bytes: number): string {
  return formatQuantity(bytes, 'B');
}

/** "5.3 %", from a ratio between 0 and 1. */
export function formatShare(ratio: number, significant = 2): string {
  if (!Number.isFinite(ratio)) return NO_VALUE;
  return `${formatNumber(ratio * 100, significant)}${NBSP}%`;
}

/** "< 0.001", "0.012", "0.35": a p value never reads as zero. */
export function formatP(p: number): string {
  if (!Number.isFinite(p)) return NO_VALUE;
  if (p < 0.001) return `<${NBSP}0.001`;
  return p < 0.1 ? p.toFixed(3) : p.toFixed(2);
}

/** "= 0.03" or "< 0.001", to stand behind "p". */
export function formatSignedP(p: number): string {
  const text = formatP(p);
  return text.startsWith('<') ? text : `=${NBSP}${text}`;
}

interface Idle {
  baselineW: number | null;
  baselineWindow?: RunEnergy['baselineWindow'] | null;
}

/** "3.00 W idle over 12.5 s, which ended 3.2 s before measuring". */
export function describeIdle({ baselineW, baselineWindow }: Idle): string {
  if (baselineW === null) return 'idle power not known (no time beside the run in which nothing ran)';
  const power = `${formatQuantity(baselineW, 'W')} idle`;
  if (!baselineWindow) return power;
  const { fromMs, toMs } = baselineWindow;
  const where =
    toMs <= 0
      ? `which ended ${seconds(-toMs)} before measuring`
      : `which began ${seconds(fromMs)} after measuring had begun`;
  return `${power} over ${seconds(toMs - fromMs)}, ${where}`;
}

/** ", at most 2.1 J off for 1.5 s without a sample"; empty where there are no gaps. */
export function describeGaps(gaps: RunEnergy['gaps'] | null): string {
  if (!gaps) return '';
  return `, at most ${formatQuantity(gaps.errorJ, 'J')} off for ${seconds(gaps.ms)} without a sample`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
