/** U+2212 is as wide as a digit, unlike the hyphen. */
const MINUS = '\u2212';

/** Placeholder for a missing value. */
export const NO_VALUE = '\u2013';

/** Upper limit for the rounded number; above it, rounding may be off by half a unit. */
const maxUnits = 1e12;

/**
 * Formats a non-negative number like Intl.NumberFormat('en-GB'): halves of its shortest decimal form are
 * rounded up. Uses Intl only for numbers with many digits, because its first use alone takes longer than
 * formatting the hundreds of numbers on a page.
 */
function fixedDigits(value: number, decimals: number): string {
  const units = Math.round(Number(`${value}e${decimals}`));
  // The number has too many digits, or its shortest form has an exponent.
  if (!(units < maxUnits)) {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    return new Intl.NumberFormat('en-GB', digits).format(value);
  }
  const text = String(units).padStart(decimals + 1, '0');
  const whole = text.slice(0, text.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === 0 ? whole : `${whole}.${text.slice(-decimals)}`;
}

/**
 * Formats a number with fixed decimals, commas between thousands, and a true minus sign. NaN and infinities
 * become an en dash.
 */
export function formatFixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  const digits = fixedDigits(Math.abs(value), decimals);
  const isZero = !/[1-9]/.test(digits);
  return value < 0 && !isZero ? `${MINUS}${digits}` : digits;
}

/** Like formatFixed, but with a plus sign for positive values. */
export function formatSigned(value: number, decimals: number): string {
  const text = formatFixed(value, decimals);
  const isPositive = value > 0 && /[1-9]/.test(text);
  return isPositive ? `+${text}` : text;
}

/** Formats a whole number: "1,264". */
export function formatCount(value: number): string {
  return formatFixed(value, 0);
}

const mostPrinted = 10;

/**
 * Formats a published value with exactly its own digits. A computed value, which has more digits, gets four.
 */
export function formatExact(value: number): string {
  const digits = String(value);
  if (digits.includes('e') || digits.replace(/\D/g, '').length > mostPrinted) return formatNumber(value, 4);
  return formatFixed(value, digits.split('.')[1]?.length ?? 0);
}

/** Returns the number of decimals for `significant` digits of `value`; the whole part is never shortened. */
export function decimalsFor(value: number, significant = 3): number {
  if (value === 0 || !Number.isFinite(value)) return 0;
  const exponent = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(significant)))));
  return Math.min(12, Math.max(0, significant - 1 - exponent));
}

/** Formats with three significant digits by default: "18.4", "1,264", "0.0512". */
export function formatNumber(value: number, significant = 3): string {
  return formatFixed(value, decimalsFor(value, significant));
}

/** Formats a count with its noun: "3 runs", "1 run". */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
