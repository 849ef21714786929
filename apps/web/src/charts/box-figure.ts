import { type Axis, bareAxis, rowAxis } from '@mqttlab/charts/drawing/axis';
import { boxMark } from '@mqttlab/charts/drawing/box-mark';
import type { Figure, Plot, Tip } from '@mqttlab/charts/drawing/figure';
import { label, tickRoom } from '@mqttlab/charts/drawing/plot';
import { faded } from '@mqttlab/charts/drawing/shapes';
import { el, type SvgNode } from '@mqttlab/charts/drawing/svg';
import { formatNumber } from '@mqttlab/shared/format/number';
import { estimateText, publishedValue, titleAndNote } from './canvas/chart-marks.ts';
import { type ChartTheme, treatmentPaint } from './canvas/chart-theme.ts';
import { type BoxDatum, type BoxPanel, boxFigure, hasBox } from './datasets/box-chart-data.ts';

export type BoxView = {
  label: string;
  panel: BoxPanel;
  unit: string;
  /** What marker and figure are: "median latency". */
  centre: string;
  axis: Axis;
  note: string;
  /** Level boxes below each other, name and figure above each, in place of upright ones side by side. */
  isRows: boolean;
  /** Rows only: room for names and figures beside the boxes; null: above them. */
  beside: { left: number; right: number } | null;
  /** Above them, name and figure do not fit beside each other. */
  isApart: boolean;
  showsTitle: boolean;
  /** Of upright boxes. */
  heightPx: number;
};

const rowPx = 41;
/** Where name and figure stand beside the box. */
const lowRowPx = 24;
const figureLinePx = 15;
const axisPx = 22;
const headPx = 24;

/** One facet of a box chart. */
export function describeBoxes(theme: ChartTheme, view: BoxView): Figure {
  return view.isRows ? describeRows(theme, view) : describeColumns(theme, view);
}

/** Level boxes, for phones and for many treatments. */
function describeRows(theme: ChartTheme, view: BoxView): Figure {
  const { label: name, panel, unit, axis, note, showsTitle } = view;
  const head = showsTitle ? headPx : 0;
  const count = panel.boxes.length;
  const { beside } = view;
  const lift = view.isApart ? figureLinePx : 0;
  const height = beside ? lowRowPx : rowPx + lift;
  return {
    label: name,
    heightPx: head + count * height + axisPx,
    margins: { top: head, right: 4, bottom: axisPx, left: 9, ...beside },
    x: axis,
    y: rowAxis(count),
    ground: { xGrid: true, xUnit: unit },
    hover: { axis: 'y', px: 16 },
    tips: panel.boxes.map((box, y): Tip => ({ x: hasBox(box) ? box.p50 : axis.min, y, ...tipOf(box, view) })),
    above: ({ area, x, y, width }) => [
      ...(showsTitle
        ? titleAndNote(theme, { title: panel.title, note, x: beside ? 0 : area.left, y: 10 })
        : []),
      ...panel.boxes.map((box, i) => {
        const { treatment, published } = box;
        const { left, right } = area;
        const top = beside ? y(i) : y(i) - height / 2 + 9;
        const at = beside ? top : top + 19 + lift;
        const figure = boxFigure(box);
        return faded(treatment.isDimmed, [
          ...(beside
            ? []
            : [
                el('rect', {
                  x: left,
                  y: top - 8,
                  width: right - left,
                  height: 16 + lift,
                  fill: theme.surface,
                }),
              ]),
          label(treatment.shortLabel, { x: beside ? 0 : left, y: top, weight: 500, fill: theme.text }),
          ...estimateText(theme, {
            ...figure,
            value: hasBox(box) ? `${figure.value} ${unit}` : '',
            note: box.note,
            isPreview: box.isPreview,
            x: beside ? width : right,
            y: top + lift,
          }),
          ...(hasBox(box) ? boxMark : noMark)(theme, box, {
            isHatched: box.isPreview,
            mark: treatment.index,
            at,
            half: 7,
            scale: x,
            paint: { fill: treatmentPaint(theme, treatment.index).fill },
            isLevel: true,
          }),
          ...(published === undefined
            ? []
            : publishedValue(theme, { value: published, x: x(published), y: at, right })),
        ]);
      }),
    ],
  };
}

/** Under two lines of a name. */
const noteLinePx = 42;

/** Where there is only a note. */
const noMark = (): SvgNode[] => [];

/** Upright boxes, their figures under the whiskers and names under the axis. */
function describeColumns(theme: ChartTheme, view: BoxView): Figure {
  const { label: name, panel, axis, note, showsTitle, heightPx } = view;
  return {
    label: name,
    heightPx,
    margins: {
      top: showsTitle ? 28 : 18,
      right: 4,
      bottom: panel.boxes.some((box) => box.note) ? 52 : 38,
      left: tickRoom(axis),
    },
    x: bareAxis(-0.5, panel.boxes.length - 0.5),
    y: axis,
    ground: {},
    hover: { axis: 'x', px: 18 },
    tips: panel.boxes.map((box, x): Tip => ({ x, y: hasBox(box) ? box.p50 : axis.min, ...tipOf(box, view) })),
    above: (plot) => [
      ...(showsTitle ? titleAndNote(theme, { title: panel.title, note, x: plot.area.left, y: 8 }) : []),
      ...panel.boxes.map((box, i) => {
        const spacing = (plot.area.right - plot.area.left) / panel.boxes.length;
        const place = { at: plot.x(i), half: Math.min(14, spacing * 0.28) };
        return faded(box.treatment.isDimmed, column(theme, box, { ...plot, ...place }));
      }),
    ],
  };
}

function column(
  theme: ChartTheme,
  box: BoxDatum,
  { area, y, at, half }: Plot & { at: number; half: number },
): SvgNode[] {
  const { treatment, published } = box;
  const figure = boxFigure(box);
  const below = y(box.p5) + 11;
  const above = Math.max(8, y(box.p95) - (figure.interval ? 24 : 11));
  const top = below + 18 < area.bottom ? below : above;
  const centred = { x: at, anchor: 'middle' as const };
  const [value, interval] = box.isPreview
    ? [{ fill: theme.text3 }, theme.text3]
    : [{ weight: 600 as const, fill: theme.text }, theme.text2];
  return [
    ...(hasBox(box) ? boxMark : noMark)(theme, box, {
      isHatched: box.isPreview,
      mark: treatment.index,
      at,
      half,
      scale: y,
      paint: { fill: treatmentPaint(theme, treatment.index).fill },
    }),
    label(figure.value, { ...centred, y: top, ...value, halo: theme.surface }),
    label(figure.interval, { ...centred, y: top + 13, fill: interval, halo: theme.surface }),
    ...nameLines(treatment.shortLabel).map((line, i) =>
      label(line, { ...centred, y: area.bottom + 14 + 14 * i, weight: 500, fill: theme.text }),
    ),
    ...(box.note ? [label(box.note, { ...centred, y: area.bottom + noteLinePx, fill: theme.text2 })] : []),
    ...(published === undefined
      ? []
      : publishedValue(theme, { value: published, x: at + half + 11, y: y(published), right: area.right })),
  ];
}

/** Under an upright box: the last part of the name on a line of its own. */
export function nameLines(name: string): string[] {
  const parts = name.split(' · ');
  return parts.length < 2 ? parts : [parts.slice(0, -1).join(' · '), parts.at(-1) ?? ''];
}

function tipOf(box: BoxDatum, { unit, centre }: Pick<BoxView, 'unit' | 'centre'>): Pick<Tip, 'tip' | 'pick'> {
  if (!hasBox(box)) return { tip: [box.treatment.label, box.note ?? ''], pick: box.treatment.id };
  const { value, interval } = boxFigure(box);
  const range = (from: number, to: number) => `${formatNumber(from)} to ${formatNumber(to)} ${unit}`;
  const tip = [
    box.treatment.label,
    `${centre} ${value} ${unit} ${interval}`,
    `median ${formatNumber(box.p50)} ${unit}`,
    `P25 to P75: ${range(box.p25, box.p75)}`,
    `P5 to P95: ${range(box.p5, box.p95)}`,
    ...(box.note === undefined ? [] : [`${box.isPreview ? 'preview: ' : ''}${box.note}`]),
    ...(box.published === undefined ? [] : [`published ${formatNumber(box.published)} ${unit}`]),
  ];
  return { tip, pick: box.treatment.id };
}
