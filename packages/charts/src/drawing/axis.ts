import { decimalsFor, formatFixed } from '@mqttlab/shared/format/number';

/** Range, ticks and number format of a scale, which is reversed if min is above max. */
export interface Axis {
  min: number;
  max: number;
  ticks: readonly number[];
  isLog: boolean;
  format(value: number): string;
}

export interface AxisRange {
  min: number;
  max: number;
  /** Approximate number of steps; 5 by default. */
  steps?: number;
}

/**
 * Returns an axis from one round number to another that holds both values, in steps of 1, 2 or 5 times a
 * power of ten.
 */
export function niceAxis(range: AxisRange): Axis {
  const { ticks, decimals } = roundSteps(range);
  return axisOf({ min: ticks[0] ?? 0, max: ticks.at(-1) ?? 1, ticks }, decimals);
}

/**
 * Returns an axis without wasted space, which ends at or just above its data, at a tick or half-way to the
 * next.
 */
export function tightAxis(range: AxisRange): Axis {
  const { ticks, step, decimals } = roundSteps(range);
  const half = step / 2;
  const min = round(Math.floor(range.min / half + 1e-9) * half, decimals + 1);
  const max = round(Math.ceil(range.max / half - 1e-9) * half, decimals + 1);
  return max > min ? cropAxis(axisOf({ min, max, ticks }, decimals), { min, max }) : niceAxis(range);
}

/**
 * Returns an axis for exactly the given range. Its steps are even if they are short numbers, otherwise its
 * ticks are round.
 */
export function fixedAxis({ min, max, steps = 4 }: AxisRange): Axis {
  const even = (max - min) / steps;
  const isShort = (value: number) => Math.abs(Number(value.toPrecision(2)) - value) <= Math.abs(even) * 1e-6;
  if (!(even > 0) || !isShort(even) || !isShort(min)) {
    return cropAxis(niceAxis({ min, max, steps }), { min, max });
  }
  const decimals = Math.min(6, (String(Number(even.toPrecision(2))).split('.')[1] ?? '').length);
  const ticks = Array.from({ length: steps + 1 }, (_, i) => round(min + i * even, decimals));
  return axisOf({ min, max, ticks }, decimals);
}

/** Returns a linear axis over the values, ending at round numbers. */
export function linearAxis(
  values: readonly number[],
  { steps = 5, zero = false }: { steps?: number; zero?: boolean } = {},
): Axis {
  const finite = [...(zero ? [0] : []), ...values.filter(Number.isFinite)];
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (finite.length === 0 || (low === 0 && high === 0)) return niceAxis({ min: 0, max: 1, steps });
  if (low === high) return niceAxis({ min: Math.min(0, low * 2), max: Math.max(0, low * 2), steps });
  return niceAxis({ min: low, max: high, steps });
}

/** Returns true if every value is above zero. */
export function canBeLog(values: readonly number[]): boolean {
  return values.length > 0 && values.every((value) => value > 0 && Number.isFinite(value));
}

export const noLogNote = 'linear, as zero has no logarithm';

/**
 * Maximum number of ticks. If there are more, only 1, 2 and 5 times a power of ten are shown; if there are
 * still more, only powers of ten.
 */
const maxTicks = 8;

/** Leading digits of the ticks, by the maximum ratio of the values. Narrow axes need close ticks. */
const logLeads = [
  { upTo: 6, leads: [1, 1.5, 2, 3, 4, 5, 6, 8] },
  { upTo: Number.POSITIVE_INFINITY, leads: [1, 2, 5] },
];
/** Ratio of the values below which ticks at equal distances are easier to read. */
const narrowRatio = 1.6;

/** Returns a logarithmic axis around the positive values, with both ends at ticks. */
export function logAxis(values: readonly number[]): Axis {
  const positive = values.filter((value) => Number.isFinite(value) && value > 0);
  const [lowest, highest] = positive.length > 0 ? [Math.min(...positive), Math.max(...positive)] : [1, 10];
  const ratio = highest / lowest;
  if (ratio > 1 && ratio < narrowRatio) {
    const room = 1 + (ratio - 1) * 0.05;
    const axis = tightAxis({ min: lowest / room, max: highest * room, steps: 4 });
    const holds = axis.min > 0 && axis.min < lowest && axis.max > highest && axis.ticks.length > 1;
    if (holds) return { ...axis, isLog: true };
  }
  const leads = logLeads.find(({ upTo }) => ratio <= upTo)?.leads ?? [];
  const from = Math.floor(Math.log10(lowest)) - 1;
  const to = Math.ceil(Math.log10(highest)) + 1;
  const powers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const all = powers.flatMap((power) => leads.map((lead) => Number(`${lead}e${power}`)));
  const first = all.findLastIndex((tick) => tick <= lowest * 0.98);
  const last = all.findIndex((tick) => tick >= highest * 1.02);
  const ticks = all.slice(first, last + 1);
  const roundTicks = ticks.filter((tick) => /^[125]e/.test(tick.toExponential()));
  const powersOfTen = ticks.filter((tick) => Number.isInteger(Math.log10(tick)));
  const few = [ticks, roundTicks].find(({ length }) => length <= maxTicks) ?? powersOfTen;
  return {
    min: ticks[0] ?? lowest,
    max: ticks.at(-1) ?? highest,
    ticks: few,
    isLog: true,
    format: (value) => formatFixed(value, decimalsFor(value, Number(value.toPrecision(1)) === value ? 1 : 2)),
  };
}

/** Returns the ticks of a logarithmic ratio axis: common factors, at least two, inside the range. */
export function ratioTicks(lo: number, hi: number): readonly number[] {
  const candidates = [
    [0.01, 0.1, 1, 10, 100],
    [0.1, 0.2, 0.5, 1, 2, 5, 10],
    [0.25, 0.5, 1, 1.5, 2, 3, 4],
    [0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3],
    [0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5],
    [0.95, 1, 1.05, 1.1, 1.15, 1.2],
    [0.98, 0.99, 1, 1.01, 1.02, 1.03, 1.04],
  ];
  const inside = candidates.map((ticks) =>
    ticks.filter((tick) => tick >= lo * 0.9999 && tick <= hi * 1.0001),
  );
  const best = inside.find((ticks) => ticks.length >= 3 && ticks.length <= 6);
  return best ?? cropAxis(niceAxis({ min: lo, max: hi, steps: 3 }), { min: lo, max: hi }).ticks;
}

/** Returns the same axis with different ends. */
export function cropAxis(axis: Axis, { min, max }: { min: number; max: number }): Axis {
  return { ...axis, min, max, ticks: axis.ticks.filter((tick) => tick >= min && tick <= max) };
}

/** Returns an axis without ticks, only for positions. */
export function bareAxis(min: number, max: number): Axis {
  return { min, max, ticks: [], isLog: false, format: String };
}

/** Returns an axis for rows from top to bottom, each of height 1. */
export function rowAxis(count: number): Axis {
  return bareAxis(count - 0.5, -0.5);
}

/** Returns a function from values to pixels between the ends of an axis. */
export function scaleOf({ min, max, isLog }: Axis, from: number, to: number): (value: number) => number {
  if (!isLog) return (value) => from + ((value - min) / (max - min)) * (to - from);
  const [low, high] = [Math.log(min), Math.log(max)];
  return (value) => from + ((Math.log(Math.max(value, min / 10)) - low) / (high - low)) * (to - from);
}

function axisOf(axis: Pick<Axis, 'min' | 'max' | 'ticks'>, decimals: number): Axis {
  return { ...axis, isLog: false, format: (value) => formatFixed(value, Math.min(9, decimals)) };
}

function roundSteps({ min, max, steps = 5 }: AxisRange) {
  const lowest = Number.isFinite(min) ? min : 0;
  const highest = Number.isFinite(max) && max > lowest ? max : lowest + 1;
  const step = niceStep((highest - lowest) / steps);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.floor(lowest / step + 1e-9);
  const last = Math.ceil(highest / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => round((first + i) * step, decimals));
  return { step, decimals, ticks };
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10) * power;
}

function round(value: number, decimals: number): number {
  return Number(value.toFixed(Math.min(12, decimals + 1)));
}
