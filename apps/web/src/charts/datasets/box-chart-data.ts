import { type Axis, canBeLog, logAxis, tightAxis } from '@mqttlab/charts/drawing/axis';
import { columnsOf } from '@mqttlab/charts/table';
import { formatInterval } from '@mqttlab/shared/format/interval';
import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';
import type { ChartTable } from './chart-table.ts';

/** Distribution of one treatment; all values in the chart's unit. */
export type BoxDatum = {
  treatment: TreatmentIdentity;
  p5: number;
  p25: number;
  p50: number;
  p75: number;
  p95: number;
  mean: number;
  /** Bounds of the mean's confidence interval. */
  lo?: number;
  hi?: number;
  /** The published study's value, drawn as a hollow diamond. */
  published?: number;
  /** "3 of 3 flagged", after the figure; alone where the figures are no numbers. */
  note?: string;
  /** What flagged runs would show: hatched, and no figures of the table. */
  isPreview?: boolean;
};

type BoxAxisChoice = { steps: number; isLog?: boolean };

export type BoxPanel = {
  /** "Wi-Fi"; empty when there is only one panel. */
  title: string;
  /** "29 runs" */
  note?: string;
  boxes: readonly BoxDatum[];
};

/** Everything drawn; the interval of the mean is written, for it may be many times as wide. */
export function boxValues(panels: readonly BoxPanel[]): number[] {
  return panels
    .flatMap((panel) => panel.boxes)
    .flatMap((box) => [box.p5, box.p95, box.mean, box.published ?? box.mean])
    .filter(Number.isFinite);
}

/** Zero to a round number above everything drawn; by powers of ten where asked and possible. */
export function boxAxis(panels: readonly BoxPanel[], { steps, isLog = false }: BoxAxisChoice): Axis {
  const values = boxValues(panels);
  if (isLog && canBeLog(values)) return logAxis(values);
  return tightAxis({ min: 0, max: Math.max(0, ...values) * 1.02, steps });
}

/** Whiskers this many times as long as their box squeeze it: a logarithmic axis shows both. */
const longWhiskers = 10;

export function hasLongWhiskers(panels: readonly BoxPanel[]): boolean {
  const isLong = ({ p5, p25, p75, p95 }: BoxDatum) => p75 > p25 && p95 - p5 > longWhiskers * (p75 - p25);
  return canBeLog(boxValues(panels)) && panels.some(({ boxes }) => boxes.some(isLong));
}

export function boxFigure(box: BoxDatum): { value: string; interval: string } {
  if (!hasBox(box)) return { value: '', interval: '' };
  return formatInterval({ value: box.mean, lo: box.lo, hi: box.hi }, { unitInHead: true });
}

/** False where there is only a note. */
export function hasBox({ mean }: BoxDatum): boolean {
  return Number.isFinite(mean);
}

/** The box chart's table: one row per panel and treatment. */
export function boxChartTable(panels: readonly BoxPanel[], unit: string): ChartTable {
  const has = (key: 'published' | 'note') =>
    panels.some((panel) => panel.boxes.some((box) => box[key] !== undefined));
  const [hasPublished, hasNote] = [has('published'), has('note')];
  const quantiles = ['P5', 'P25', 'P50', 'P75', 'P95', 'Estimate', '95 % CI from', '95 % CI to'];
  return {
    columns: columnsOf(
      'Panel',
      'Treatment',
      ...quantiles.map((head) => [head, unit] as const),
      hasPublished && ['Published', unit],
      hasNote && 'Runs',
    ),
    rows: panels.flatMap((panel) =>
      panel.boxes.map((box) => [
        panel.title,
        box.treatment.label,
        ...(box.isPreview || !hasBox(box)
          ? quantiles.map(() => null)
          : [box.p5, box.p25, box.p50, box.p75, box.p95, box.mean, box.lo ?? null, box.hi ?? null]),
        ...(hasPublished ? [box.published ?? null] : []),
        ...(hasNote ? [box.note ?? null] : []),
      ]),
    ),
  };
}
