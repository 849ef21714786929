import { decimalsFor, formatFixed, formatNumber, formatSigned, NO_VALUE } from './number.ts';
import { NBSP } from './quantity.ts';
import { displayUnit } from './unit.ts';

export type IntervalValue = {
  value: number;
  /** Interval bounds in the same unit; omit both without an interval. */
  lo?: number | undefined;
  hi?: number | undefined;
};

export type IntervalFormat = {
  /** Unit of value, lo and hi; scaled to a suitable SI prefix. */
  unit?: string | undefined;
  /** Adds a plus sign to positive values, for differences. */
  signed?: boolean;
  /** Overrides the digits derived from the interval's width, for columns with a common number of digits. */
  decimals?: number;
  /** Maximum significant digits of an unsigned value, however narrow its interval is; 4 by default. */
  maxSignificant?: number;
  /** Omits the unit, for columns and axes that show it in their header. The value is not scaled. */
  unitInHead?: boolean;
};

export type FormattedInterval = {
  /** For example "18.4 ms". */
  value: string;
  /** For example "[17.9, 18.8]"; empty without an interval. */
  interval: string;
  /** Value and interval, joined with no-break spaces. */
  text: string;
};

/** Formats a value with its interval, "18.4 ms [17.9, 18.8]", with digits according to the interval's width. */
export function formatInterval(input: IntervalValue, format: IntervalFormat = {}): FormattedInterval {
  const { unit = '', signed = false, unitInHead = false } = format;
  const { value, lo, hi } = input;
  if (!Number.isFinite(value)) return { value: NO_VALUE, interval: '', text: NO_VALUE };
  const hasInterval = lo !== undefined && hi !== undefined && Number.isFinite(lo) && Number.isFinite(hi);
  const display = unitInHead ? { multiplier: 1, unit: '' } : displayUnit(value, unit);
  const scale = display.multiplier;
  if (hasInterval && !signed && format.decimals === undefined && lo > 0 && hi > lo * wideRatio) {
    return wideInterval({ value, lo, hi }, display);
  }
  const decimals =
    format.decimals ??
    (hasInterval
      ? showingSigns(
          [lo * scale, hi * scale],
          Math.min(
            decimalsForWidth((hi - lo) * scale, value * scale),
            signed ? maxDecimals : decimalsFor(value * scale, format.maxSignificant ?? usualSignificant),
          ),
        )
      : decimalsFor(value * scale));
  const figure = signed ? formatSigned(value * scale, decimals) : formatFixed(value * scale, decimals);
  const valueText = display.unit ? `${figure}${NBSP}${display.unit}` : figure;
  if (!hasInterval) return { value: valueText, interval: '', text: valueText };
  const interval = `[${formatFixed(lo * scale, decimals)},${NBSP}${formatFixed(hi * scale, decimals)}]`;
  return { value: valueText, interval, text: `${valueText}${NBSP}${interval}` };
}

const usualSignificant = 4;
const maxDecimals = 9;

/**
 * Ratio of the bounds above which common decimals would round the lower bound to zero, or give the upper
 * bound too many digits.
 */
const wideRatio = 100;
/** Fraction of the upper bound below which the lower bound is only shown as smaller. */
const maxWideRatio = 1e6;

/** Formats each figure with two significant digits: "1.2 ms [0.011, 130]". */
function wideInterval(
  { value, lo, hi }: Record<'value' | 'lo' | 'hi', number>,
  { multiplier, unit }: { multiplier: number; unit: string },
): FormattedInterval {
  const least = hi / maxWideRatio;
  const textOf = (one: number) =>
    one < least ? `<${NBSP}${formatNumber(least * multiplier, 1)}` : formatNumber(one * multiplier, 2);
  const valueText = [textOf(value), unit].filter(Boolean).join(NBSP);
  const interval = `[${textOf(lo)},${NBSP}${textOf(hi)}]`;
  return { value: valueText, interval, text: `${valueText}${NBSP}${interval}` };
}

/** Maximum number of additional digits. */
const maxExtra = 2;

/**
 * Adds digits so that a bound other than zero does not read as zero, because readers check on which side of
 * zero it is.
 */
function showingSigns(bounds: readonly number[], decimals: number): number {
  const readsZero = (digits: number) =>
    bounds.some((bound) => bound !== 0 && Math.abs(bound) < 0.5 * 10 ** -digits);
  for (let extra = 0; extra <= maxExtra; extra += 1) {
    if (!readsZero(decimals + extra)) return decimals + extra;
  }
  return decimals;
}

/**
 * Returns the number of decimals with which half the interval's width has one significant digit, or two if
 * the first is a 1. A half-width of 0.45 gives one decimal, 0.012 gives three (GUM 7.2.6: at most two digits
 * for an uncertainty).
 */
export function decimalsForWidth(width: number, value: number): number {
  const half = Math.abs(width) / 2;
  if (!(half > 0)) return decimalsFor(value);
  const exponent = Math.floor(Math.log10(half) + 1e-9);
  const leading = half / 10 ** exponent;
  const digits = leading < 1.95 ? 1 : 0;
  return Math.min(9, Math.max(0, digits - exponent));
}
