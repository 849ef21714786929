/** U+2212: as wide as a digit, unlike the hyphen. */
const MINUS = '\u2212';

/** What stands where there is no value. */
export const NO_VALUE = '\u2013';

/** With more digits than this the shifted number may be off by half a unit. */
const maxUnits = 1e12;

/**
 * What Intl.NumberFormat('en-GB') makes of a number that is not negative: halves of its shortest decimal form go up.
 * By hand, for a page shows hundreds and the first use of Intl alone takes longer than all of them.
 */
function fixedDigits(value: number, decimals: number): string {
  const units = Math.round(Number(`${value}e${decimals}`));
  // Or its shortest form has an exponent of its own.
  if (!(units < maxUnits)) {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    return new Intl.NumberFormat('en-GB', digits).format(value);
  }
  const text = String(units).padStart(decimals + 1, '0');
  const whole = text.slice(0, text.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === 0 ? whole : `${whole}.${text.slice(-decimals)}`;
}

/** Fixed decimals, thousands separated by commas, true minus. NaN and infinities become an en dash. */
export function formatFixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  const digits = fixedDigits(Math.abs(value), decimals);
  const isZero = !/[1-9]/.test(digits);
  return value < 0 && !isZero ? `${MINUS}${digits}` : digits;
}

/** As formatFixed, with a plus on what is above zero. */
export function formatSigned(value: number, decimals: number): string {
  const text = formatFixed(value, decimals);
  const isPositive = value > 0 && /[1-9]/.test(text);
  return isPositive ? `+${text}` : text;
}

/** A whole number: "1,264". */
export function formatCount(value: number): string {
  return formatFixed(value, 0);
}

const mostPrinted = 10;

/** A printed value with all its digits and none added. A computed one, which has more, gets four. */
export function formatExact(value: number): string {
  const digits = String(value);
  if (digits.includes('e') || digits.replace(/\D/g, '').length > mostPrinted) return formatNumber(value, 4);
  return formatFixed(value, digits.split('.')[1]?.length ?? 0);
}

/** Decimals that show `significant` digits of `value`, never fewer than the whole part has. */
export function decimalsFor(value: number, significant = 3): number {
  if (value === 0 || !Number.isFinite(value)) return 0;
  const exponent = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(significant)))));
  return Math.min(12, Math.max(0, significant - 1 - exponent));
}

/** Three significant digits unless told otherwise: "18.4", "1,264", "0.0512". */
export function formatNumber(value: number, significant = 3): string {
  return formatFixed(value, decimalsFor(value, significant));
}

/** "3 runs", "1 run". */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
