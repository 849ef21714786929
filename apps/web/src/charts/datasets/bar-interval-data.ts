import { type Axis, canBeLog, logAxis, tightAxis } from '@mqttlab/charts/drawing/axis';
import { columnsOf } from '@mqttlab/charts/table';
import { formatInterval } from '@mqttlab/shared/format/interval';
import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';
import type { ChartTable } from './chart-table.ts';

/** One bar, in the chart's unit, with the bounds of its 95 % interval. */
export type BarDatum = {
  treatment: TreatmentIdentity;
  /** null: there is only the note. */
  value: number | null;
  lo?: number;
  hi?: number;
  published?: number;
  /** "3 of 3 flagged", after the figure. */
  note?: string;
  /** What flagged runs would show: hatched, and no figure of the table. */
  isPreview?: boolean;
  /** Rests on flagged runs; as a preview does unless told otherwise. */
  isHatched?: boolean;
};

/** Bars under a heading; an empty title draws no heading. */
export type BarGroup = { title: string; bars: readonly BarDatum[] };

export type BarRow = { kind: 'heading'; title: string } | { kind: 'bar'; bar: BarDatum };

/** Headings and bars in the order they are drawn. */
export function barRows(groups: readonly BarGroup[]): BarRow[] {
  return groups.flatMap((group): BarRow[] => [
    ...(group.title ? [{ kind: 'heading' as const, title: group.title }] : []),
    ...group.bars.map((bar) => ({ kind: 'bar' as const, bar })),
  ]);
}

/** Everything drawn: means, intervals and published values. */
function barValues(groups: readonly BarGroup[]): number[] {
  return groups
    .flatMap((group) => group.bars)
    .flatMap(({ value, lo, hi, published }) => [value, lo, hi, published])
    .filter((value): value is number => Number.isFinite(value));
}

/** What a logarithmic axis cannot do without; intervals may be cut off at its edge. */
export function barMeans(groups: readonly BarGroup[]): number[] {
  return groups.flatMap((group) => group.bars).flatMap((bar) => bar.value ?? []);
}

/** Bars start at zero; by powers of ten, where asked and possible, there are marks in their place. */
export function barAxis(groups: readonly BarGroup[], scale: 'linear' | 'log' = 'linear'): Axis {
  const values = barValues(groups);
  const ends = values.filter((value) => value > 0);
  if (scale === 'log' && canBeLog(barMeans(groups))) return logAxis(ends);
  return tightAxis({ min: Math.min(0, ...values), max: Math.max(0, ...values), steps: 5 });
}

export function barFigure({ value, lo, hi }: BarDatum): { value: string; interval: string } {
  return value === null
    ? { value: '', interval: '' }
    : formatInterval({ value, lo, hi }, { unitInHead: true });
}

export function barIntervalTable(groups: readonly BarGroup[], unit: string): ChartTable {
  const has = (key: 'published' | 'note') =>
    groups.some((group) => group.bars.some((bar) => bar[key] !== undefined));
  const [hasPublished, hasNote] = [has('published'), has('note')];
  return {
    columns: columnsOf(
      'Group',
      'Treatment',
      ['Mean', unit],
      ['95 % CI from', unit],
      ['95 % CI to', unit],
      hasPublished && ['Published', unit],
      hasNote && 'Runs',
    ),
    rows: groups.flatMap((group) =>
      group.bars.map((bar) => [
        group.title,
        bar.treatment.label,
        ...(bar.isPreview ? [null, null, null] : [bar.value, bar.lo ?? null, bar.hi ?? null]),
        ...(hasPublished ? [bar.published ?? null] : []),
        ...(hasNote ? [bar.note ?? null] : []),
      ]),
    ),
  };
}
