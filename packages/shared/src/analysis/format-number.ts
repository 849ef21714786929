const minus = '\u2212';

/** Decimals that an interval of this half width deserves: its first two significant digits. */
export function decimalsFor(value: number, halfWidth: number | null): number {
  const scale = halfWidth !== null && halfWidth > 0 ? halfWidth : Math.abs(value) / 10;
  if (!(scale > 0) || !Number.isFinite(scale)) return 0;
  return Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(scale))));
}

/** A number with true minus and thousands separators. */
export function formatNumber(value: number, decimals: number): string {
  const text = Math.abs(value).toLocaleString('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return value < 0 && /[1-9]/.test(text) ? `${minus}${text}` : text;
}

export interface IntervalText {
  value: number;
  lo: number | null;
  hi: number | null;
  unit?: string;
}

/** "18.4 ms [17.9, 18.8]"; without an interval just the number. */
export function formatInterval({ value, lo, hi, unit = '' }: IntervalText): string {
  const half = lo === null || hi === null ? null : (hi - lo) / 2;
  const decimals = decimalsFor(value, half);
  const number = formatNumber(value, decimals);
  const named = unit === '' ? number : `${number} ${unit}`;
  if (lo === null || hi === null) return named;
  return `${named} [${formatNumber(lo, decimals)}, ${formatNumber(hi, decimals)}]`;
}
