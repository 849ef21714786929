import { type Axis, rowAxis } from '@mqttlab/charts/drawing/axis';
import type { Figure, Plot } from '@mqttlab/charts/drawing/figure';
import { errorBarAcross, label, line, marker } from '@mqttlab/charts/drawing/plot';
import { type Area, faded, hatched } from '@mqttlab/charts/drawing/shapes';
import { el, type SvgNode } from '@mqttlab/charts/drawing/svg';
import type { ReactElement } from 'react';
import { estimateText, estimateWidth, publishedValue } from './canvas/chart-marks.ts';
import { type ChartTheme, treatmentPaint, widest } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useFigure, useWidth } from './canvas/use-figure.ts';
import { type BarDatum, type BarGroup, barAxis, barFigure, barRows } from './datasets/bar-interval-data.ts';

export type BarIntervalChartProps = {
  label: string;
  /** Of every value; written after the axis' last tick. */
  unit: string;
  groups: readonly BarGroup[];
  /** `log` where every value is above zero: marks in place of bars, which have no zero to start from. */
  scale?: 'linear' | 'log';
};

const rowPx = 24;
/** Where names and figures stand above the bars. */
const tallRowPx = 42;
/** More where they do not fit beside each other. */
const figureLinePx = 15;
/** With less than this left for the bars they do. */
const plotPx = 120;
const axisPx = 22;

/** Level bars from zero with their 95 % interval, the figure at the right. */
export function BarIntervalChart(props: BarIntervalChartProps): ReactElement {
  const [ref, width] = useWidth();
  const figure = useFigure(describeBars, { ...props, width });
  return (
    <div ref={ref}>
      <FigureChart figure={figure} />
    </div>
  );
}

type BarPlace = { axis: Axis; x: (value: number) => number; y: number; area: Area };

/** A bar from zero, by powers of ten a marker, with its interval; hatched where it rests on flagged runs. */
export function barMark(theme: ChartTheme, bar: BarDatum, { axis, x: scaleX, y, area }: BarPlace): SvgNode[] {
  const { treatment, value, lo, hi, isPreview, isHatched = isPreview } = bar;
  const { index: mark } = treatment;
  // An interval that reaches zero ends at the edge of a logarithmic axis.
  const x = (one: number) => scaleX(axis.isLog ? Math.max(axis.min, one) : one);
  const { fill, stroke } = treatmentPaint(theme, mark);
  const [from, to] = axis.isLog ? [lo ?? value, hi ?? value] : [0, value];
  const ends = [x(from ?? 0), x(to ?? 0)];
  const box = { left: Math.min(...ends), right: Math.max(...ends), top: y - 7, bottom: y + 7 };
  const solid = { x: box.left, y: box.top, width: box.right - box.left, height: 14, fill, stroke };
  return [
    ...(axis.isLog ? [line({ from: [area.left, y], to: [area.right, y], stroke: theme.grid })] : []),
    ...(isHatched && value !== null ? hatched(box, stroke) : []),
    ...(isHatched || axis.isLog || value === null ? [] : [el('rect', { ...solid, strokeWidth: 1.25 })]),
    ...(lo === undefined || hi === undefined
      ? []
      : [errorBarAcross(isPreview ? theme.text3 : theme.text, { y, lo: x(lo), hi: x(hi), width: 1.5 })]),
    ...(axis.isLog && value !== null ? [marker(theme, mark, { x: x(value), y, size: 4.5 })] : []),
  ];
}

/** The picture as data. On narrow screens names are above the bars, right of the zero line. */
export function describeBars(theme: ChartTheme, props: BarIntervalChartProps & { width: number }): Figure {
  const { label: name, unit, groups, scale = 'linear', width } = props;
  const rows = barRows(groups);
  const bars = groups.flatMap((group) => group.bars);
  const left = widest(bars.map(({ treatment }) => theme.widthOf(treatment.shortLabel))) + 24;
  const right = widest(bars.map((bar) => estimateWidth(theme, { ...barFigure(bar), note: bar.note }))) + 16;
  const isWide = width === 0 || width - left - right >= plotPx;
  const isApart = !isWide && left + right + 8 > width;
  const height = isWide ? rowPx : tallRowPx + (isApart ? figureLinePx : 0);
  const axis = barAxis(groups, scale);

  const drawBar = (bar: BarDatum, middle: number, { x: scaleX, area, width: end }: Plot): SvgNode => {
    const { treatment, published, note, isPreview } = bar;
    const { index: mark } = treatment;
    const x = (one: number) => scaleX(axis.isLog ? Math.max(axis.min, one) : one);
    const lift = isApart ? figureLinePx / 2 : 0;
    const y = isWide ? middle : middle + 8 + lift;
    const nameY = isWide ? middle : middle - 10 - lift;
    return faded(treatment.isDimmed, [
      label(treatment.shortLabel, {
        x: isWide ? 0 : area.left + 18,
        y: nameY,
        fill: theme.text2,
        // A negative value puts the zero line further right.
        halo: theme.surface,
      }),
      marker(theme, mark, { x: isWide ? area.left - 10 : area.left + 8, y: nameY, size: 3 }),
      ...barMark(theme, bar, { axis, x: scaleX, y, area }),
      ...(published === undefined
        ? []
        : publishedValue(theme, { value: published, x: x(published), y, right: end })),
      ...estimateText(theme, {
        ...barFigure(bar),
        note,
        isPreview,
        x: end,
        y: isApart ? nameY + figureLinePx : nameY,
      }),
    ]);
  };

  return {
    label: name,
    heightPx: rows.length * height + axisPx,
    margins: { top: 0, bottom: axisPx, left: isWide ? left : 4, right: isWide ? right : 20 },
    x: axis,
    y: rowAxis(rows.length),
    ground: { xGrid: true, xUnit: unit },
    hover: { axis: 'y', px: 14 },
    tips: rows.flatMap((row, y) => {
      if (row.kind === 'heading') return [];
      const { treatment, value: x, note = '', isPreview } = row.bar;
      const { value, interval } = barFigure(row.bar);
      const figure = x === null ? [] : [`${isPreview ? 'preview: ' : ''}${value} ${unit} ${interval}`];
      const tip = [treatment.label, ...figure, ...(note ? [note] : [])];
      return [{ x: x ?? axis.min, y, tip, pick: treatment.id }];
    }),
    above: (plot) =>
      rows.flatMap((row, i) => {
        const y = plot.y(i);
        if (row.kind === 'bar') return [drawBar(row.bar, y, plot)];
        const ground = { x: 0, y: y - height / 2, width: plot.width, height, fill: theme.surface };
        return [el('rect', ground), label(row.title, { x: 0, y, weight: 600, fill: theme.text })];
      }),
  };
}
