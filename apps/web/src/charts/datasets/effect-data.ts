import { type Axis, bareAxis, cropAxis, niceAxis, ratioTicks } from '@mqttlab/charts/drawing/axis';
import { formatInterval } from '@mqttlab/shared/format/interval';
import { formatNumber } from '@mqttlab/shared/format/number';
import { formatP } from '@mqttlab/shared/format/quantity';
import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';

export type EffectKind = 'ratio' | 'difference';

/** A treatment against the baseline: ratio (1 is no effect) or difference in the chart's unit (0 is no effect). */
export type EffectDatum = {
  treatment: TreatmentIdentity;
  value: number;
  lo: number;
  hi: number;
  /** Hedges' g; null where it has no meaning. */
  g: number | null;
  /** After the correction that the subtitle names. */
  p: number | null;
};

/** Positions are logarithms for ratios, so that x2 and x0.5 lie equally far from x1. */
export interface EffectAxis extends Axis {
  /** Position of "no effect", or null when it lies outside so that the intervals can be seen. */
  reference: number | null;
}

export function effectPosition(kind: EffectKind, value: number): number {
  return kind === 'ratio' ? Math.log(value) : value;
}

/** How much wider than the span of the intervals the scale may be with the reference. */
const MAX_STRETCH = 12;

/** A scale for one group that keeps its narrowest interval visible: the reference is given up only when it must be. */
export function effectScale(kind: EffectKind, rows: readonly EffectDatum[]): EffectAxis {
  const place = (value: number) => effectPosition(kind, value);
  const ends = rows
    .flatMap((row) => [row.lo, row.hi, row.value])
    .map(place)
    .filter(Number.isFinite);
  const zero = place(kind === 'ratio' ? 1 : 0);
  const own = {
    lo: Math.min(...ends, Number.POSITIVE_INFINITY),
    hi: Math.max(...ends, Number.NEGATIVE_INFINITY),
  };
  if (own.lo > own.hi) return { ...bareAxis(zero - 1, zero + 1), reference: zero };
  const span = own.hi - own.lo;
  const withZero = Math.max(own.hi, zero) - Math.min(own.lo, zero);
  // An exact effect is a point, which no scale can squeeze.
  const isExact = rows.every((row) => row.lo === row.hi);
  const keepsZero = isExact || withZero / span <= MAX_STRETCH;
  const lo = keepsZero ? Math.min(own.lo, zero) : own.lo;
  const hi = keepsZero ? Math.max(own.hi, zero) : own.hi;
  const pad = (hi - lo) * 0.06 || 1;
  const min = lo - pad;
  const max = hi + pad;
  return { ...effectAxis(kind, min, max), reference: keepsZero ? zero : null };
}

/** One scale for all groups; where that would squeeze the intervals of one to nothing, a scale for each. */
export function effectScales(kind: EffectKind, groups: readonly (readonly EffectDatum[])[]): EffectAxis[] {
  const all = effectScale(kind, groups.flat());
  const own = groups.map((rows) => effectScale(kind, rows));
  const span = ({ min, max }: EffectAxis) => max - min;
  const isShared = own.every((axis, i) => groups[i]?.length === 0 || span(all) <= span(axis) * MAX_STRETCH);
  return isShared ? groups.map(() => all) : own;
}

function effectAxis(kind: EffectKind, min: number, max: number): Axis {
  if (kind === 'difference') return cropAxis(niceAxis({ min, max, steps: 4 }), { min, max });
  const ticks = ratioTicks(Math.exp(min), Math.exp(max)).map(Math.log);
  const format = (at: number) => `\u00d7${Number(Math.exp(at).toPrecision(4))}`;
  return { ...bareAxis(min, max), ticks, format };
}

export type EffectTexts = { value: string; interval: string; g: string; p: string };

/** Beyond it the decimals of the upper end leave nothing of a ratio below 1. */
const wideRatio = 1.5;

function wideRatioTexts({ value, lo, hi }: EffectDatum): { value: string; interval: string } {
  const text = (one: number) => formatNumber(one, 2);
  return { value: text(value), interval: `[${text(lo)}, ${text(hi)}]` };
}

/** The figures at the right of a row. */
export function effectTexts(kind: EffectKind, row: EffectDatum): EffectTexts {
  const format = { unitInHead: true, signed: kind === 'difference' };
  if (row.lo === row.hi) {
    const exact = formatInterval({ value: row.value }, format);
    return { value: exact.value, interval: 'in every run', g: '\u2013', p: '\u2013' };
  }
  return {
    ...(kind === 'ratio' && row.hi > row.lo * wideRatio ? wideRatioTexts(row) : formatInterval(row, format)),
    g: row.g === null ? '\u2013' : formatNumber(row.g, 2),
    p: row.p === null ? '\u2013' : formatP(row.p),
  };
}
