import { rowAxis } from '@mqttlab/shared/figures/drawing/axis';
import type { Figure, Plot } from '@mqttlab/shared/figures/drawing/figure';
import { errorBarAcross, label, line, marker } from '@mqttlab/shared/figures/drawing/plot';
import { faded } from '@mqttlab/shared/figures/drawing/shapes';
import { el, type SvgNode } from '@mqttlab/shared/figures/drawing/svg';
import { type ReactElement, useMemo } from 'react';
import { estimateText, estimateWidth, publishedValue, titleAndNote } from './canvas/chart-marks.ts';
import { type ChartTheme, treatmentPaint, useChartTheme, widest } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useWidth } from './canvas/use-figure.ts';
import {
  type EffectDatum,
  type EffectGroup,
  type EffectKind,
  effectPosition,
  effectScale,
  effectTexts,
} from './datasets/effect-data.ts';

export type EffectChartProps = {
  label: string;
  kind: EffectKind;
  /** Of differences: "ms". */
  unit?: string;
  /** Each group has its own scale and says its range. */
  groups: readonly EffectGroup[];
};

/** With less than this left for the interval, names and figures stand above it instead of beside it. */
const plotPx = 170;
/** Between the columns, and all such gaps together. */
const gapPx = 16;
const gapsPx = 64;
const headPx = 22;
const titlePx = 22;
const axisPx = 22;
/** Of a figure on a line of its own. */
const figureLinePx = 15;

/** Effects against the baseline with their 95 % intervals, Hedges' g and p. */
export function EffectChart({ label: name, kind, unit = '', groups }: EffectChartProps): ReactElement {
  const [ref, width] = useWidth();
  const theme = useChartTheme();
  const figures = useMemo(() => {
    const columns = measureColumns(theme, kind, groups);
    const left = width - columns.name - columns.figure - columns.g - columns.p - gapsPx;
    return groups.map((group, i) =>
      describeEffects(theme, {
        label: [name, group.title].filter(Boolean).join(', '),
        kind,
        unit,
        group,
        columns,
        isWide: left >= plotPx,
        isApart: left < plotPx && columns.name + columns.figure + gapPx > width,
        showsHead: i === 0,
      }),
    );
  }, [theme, name, kind, unit, groups, width]);
  return (
    <div ref={ref}>
      {width > 0 && figures.map((figure) => <FigureChart key={figure.label} figure={figure} />)}
    </div>
  );
}

/** Widths of the text columns, shared by all groups. */
type EffectColumns = { name: number; figure: number; g: number; p: number };

function measureColumns(theme: ChartTheme, kind: EffectKind, groups: readonly EffectGroup[]): EffectColumns {
  const rows = groups.flatMap((group) => group.rows);
  const texts = rows.map((row) => effectTexts(kind, row));
  return {
    name: widest(rows.map(({ treatment }) => theme.widthOf(treatment.shortLabel, 500))) + 24,
    figure: widest(texts.map((text) => estimateWidth(theme, text))),
    g: widest([...texts.map(({ g }) => g), 'g'].map((text) => theme.widthOf(text))),
    p: widest([...texts.map(({ p }) => p), 'p'].map((text) => theme.widthOf(text))),
  };
}

type EffectView = {
  label: string;
  kind: EffectKind;
  unit: string;
  group: EffectGroup;
  columns: EffectColumns;
  isWide: boolean;
  /** Name and figure do not fit beside each other. */
  isApart: boolean;
  showsHead: boolean;
};

function describeEffects(theme: ChartTheme, view: EffectView): Figure {
  const { label: name, kind, unit, group, columns, isWide, isApart, showsHead } = view;
  const { title, rows } = group;
  const lift = isApart ? figureLinePx / 2 : 0;
  const rowPx = isWide ? 24 : 40 + 2 * lift;
  const top = (showsHead ? headPx : 0) + (title ? titlePx : 0);
  const axis = effectScale(kind, rows);
  /** Right ends of the columns. */
  const endsOf = ({ width }: Plot) => {
    const g = width - columns.p - gapPx;
    return { figure: isWide ? g - columns.g - gapPx : width, g, p: width };
  };
  const rightText = (text: string, at: { x: number; y: number; fill: string }) =>
    label(text, { ...at, anchor: 'end' });

  const drawRow = (row: EffectDatum, i: number, plot: Plot): SvgNode[] => {
    const middle = plot.y(i);
    const nameY = isWide ? middle : middle - 11 - lift;
    const y = isWide ? middle : middle + 8 + lift;
    const texts = effectTexts(kind, row);
    const ends = endsOf(plot);
    const { treatment, published } = row;
    const x = (value: number) => plot.x(effectPosition(kind, value));
    const above = middle - rowPx / 2;
    return [
      ...(i > 0 ? [line({ from: [0, above], to: [plot.width, above], stroke: theme.grid })] : []),
      faded(treatment.isDimmed, [
        marker(theme, treatment.index, { x: 6, y: nameY }),
        label(treatment.shortLabel, { x: 18, y: nameY, weight: 500, fill: theme.text, halo: theme.surface }),
        ...estimateText(theme, { ...texts, x: ends.figure, y: nameY + 2 * lift }),
        ...(isWide
          ? (['g', 'p'] as const).map((key) => rightText(texts[key], { x: ends[key], y, fill: theme.text2 }))
          : []),
        ...(published === undefined
          ? []
          : publishedValue(theme, {
              value: published,
              text: `${kind === 'ratio' ? '\u00d7' : ''}${Number(published.toPrecision(3))}`,
              x: x(published),
              y,
              right: plot.area.right,
            })),
        ...effectMark(theme, treatment.index, { value: x(row.value), lo: x(row.lo), hi: x(row.hi), y }),
      ]),
    ];
  };

  return {
    label: name,
    heightPx: top + rows.length * rowPx + axisPx,
    margins: {
      top,
      bottom: axisPx,
      left: isWide ? columns.name : 4,
      right: isWide ? columns.figure + columns.g + columns.p + 3 * gapPx : 4,
    },
    x: axis,
    y: rowAxis(rows.length),
    ground: { xGrid: true },
    hover: { axis: 'y', px: 12 },
    tips: rows.map((row, y) => {
      const { value, interval, g, p } = effectTexts(kind, row);
      const tip = [row.treatment.label, `${kind} ${value} ${unit} ${interval}`, `Hedges g ${g}, p ${p}`];
      return { x: effectPosition(kind, row.value), y, tip, pick: row.treatment.id };
    }),
    above: (plot) => {
      const ends = endsOf(plot);
      const head = kind === 'ratio' ? 'ratio [95 % CI]' : `difference, ${unit} [95 % CI]`;
      const note = axis.reference === null ? 'own scale; no effect lies outside it' : 'own scale';
      return [
        ...(showsHead ? [rightText(head, { x: ends.figure, y: 8, fill: theme.text3 })] : []),
        ...(showsHead && isWide
          ? (['g', 'p'] as const).map((key) => rightText(key, { x: ends[key], y: 8, fill: theme.text3 }))
          : []),
        ...(title ? titleAndNote(theme, { title, note, x: 0, y: top - titlePx / 2 }) : []),
        ...(axis.reference === null ? [] : [reference(theme, plot, axis.reference)]),
        ...rows.flatMap((row, i) => drawRow(row, i, plot)),
      ];
    },
  };
}

/** The line of no effect. */
function reference(theme: ChartTheme, { x, area }: Plot, at: number): SvgNode {
  return line({ from: [x(at), area.top], to: [x(at), area.bottom], stroke: theme.axis, width: 1.5 });
}

/** Narrower than this, the marker would hide its own interval. */
const markerFitsPx = 16;

/** Interval with caps and marker; an interval narrower than its marker becomes a solid bar crossed at the value. */
function effectMark(
  theme: ChartTheme,
  mark: number,
  { value, lo, hi, y }: { value: number; lo: number; hi: number; y: number },
): SvgNode[] {
  const { stroke, solid } = treatmentPaint(theme, mark);
  if (hi - lo >= markerFitsPx) {
    return [errorBarAcross(stroke, { y, lo, hi, cap: 4, width: 1.5 }), marker(theme, mark, { x: value, y })];
  }
  const width = Math.max(2, hi - lo);
  const from = (lo + hi) / 2 - width / 2;
  return [
    el('rect', { x: from, y: y - 5, width, height: 10, fill: solid }),
    errorBarAcross(stroke, { y, lo: from, hi: from + width, cap: 5, width: 1.5 }),
    line({ from: [value, y - 8], to: [value, y + 8], stroke, width: 1.5 }),
  ];
}
