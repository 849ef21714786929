import type { RunEnergy } from '../domain/runs/role-result.ts';
import { decimalsFor, formatFixed, formatNumber, formatSigned, NO_VALUE } from './number.ts';
import { displayUnit } from './unit.ts';

/** No-break space between a value and its unit. */
export const NBSP = '\u00a0';

export type QuantityFormat = { significant?: number; signed?: boolean };

/** Formats with three significant digits and a suitable SI prefix: "18.4 ms", "2.21 kB", "21.9 k msg/s"; whole numbers stay whole. */
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

/** Formats bytes with decimal prefixes: "124 B", "2.21 kB", "6.20 GB". */
export function formatBytes(bytes: number): string {
  return formatQuantity(bytes, 'B');
}

/** Formats a ratio between 0 and 1 as "5.3 %". */
export function formatShare(ratio: number, significant = 2): string {
  if (!Number.isFinite(ratio)) return NO_VALUE;
  return `${formatNumber(ratio * 100, significant)}${NBSP}%`;
}

/** Formats a p-value, never as zero: "< 0.001", "0.012", "0.35". */
export function formatP(p: number): string {
  if (!Number.isFinite(p)) return NO_VALUE;
  if (p < 0.001) return `<${NBSP}0.001`;
  return p < 0.1 ? p.toFixed(3) : p.toFixed(2);
}

/** Formats a p-value to follow "p": "= 0.03" or "< 0.001". */
export function formatSignedP(p: number): string {
  const text = formatP(p);
  return text.startsWith('<') ? text : `=${NBSP}${text}`;
}

interface Idle {
  baselineW: number | null;
  baselineWindow?: RunEnergy['baselineWindow'] | null;
}

/** Describes idle power: "3.00 W idle over 12.5 s, which ended 3.2 s before measuring". */
export function describeIdle({ baselineW, baselineWindow }: Idle): string {
  if (baselineW === null) return 'idle power unknown (no idle period near the run)';
  const power = `${formatQuantity(baselineW, 'W')} idle`;
  if (!baselineWindow) return power;
  const { fromMs, toMs } = baselineWindow;
  const where =
    toMs <= 0
      ? `which ended ${seconds(-toMs)} before measuring`
      : `which began ${seconds(fromMs)} after measuring started`;
  return `${power} over ${seconds(toMs - fromMs)}, ${where}`;
}

/** Describes gaps: ", error of at most 2.1 J from 1.5 s without samples"; empty without gaps. */
export function describeGaps(gaps: RunEnergy['gaps'] | null): string {
  if (!gaps) return '';
  return `, error of at most ${formatQuantity(gaps.errorJ, 'J')} from ${seconds(gaps.ms)} without samples`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
