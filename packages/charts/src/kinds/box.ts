import type { LatencyBox } from '@mqttlab/shared/domain/runs/comparison';
import { formatInterval } from '@mqttlab/shared/format/interval';
import { formatNumber } from '@mqttlab/shared/format/number';
import { type Axis, bareAxis, canBeLog, logAxis, rowAxis, tightAxis } from '../drawing/axis.ts';
import { type EstimateTexts, estimateText, estimateWidth, publishedValue } from '../drawing/estimate-text.ts';
import { drawFigure, type Figure, type Plot, type Tip } from '../drawing/figure.ts';
import { type BoxStatistics, bar, boxMark, faded, label, rule } from '../drawing/marks.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { tickRoom } from '../drawing/panel.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { textWidth, widest } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth, type TreatmentIdentity } from '../drawing/treatments.ts';
import { columnsOf, type DocumentTable, makeTable } from '../table.ts';

/** Distribution of one treatment, with all values in the chart's unit. */
export interface BoxDatum extends BoxStatistics {
  treatment: TreatmentIdentity;
  /** Bounds of the mean's confidence interval. */
  lo?: number;
  hi?: number;
  /** Drawn as a hollow diamond. */
  published?: number;
  /** Written after the value: "3 of 3 flagged". Written alone if the values are not finite. */
  note?: string;
  /** True for values from flagged runs only, which are hatched and omitted from the table. */
  isPreview?: boolean;
  /**
   * Smallest and largest single value, drawn as points. Values beyond the axis are drawn next to its broken
   * end.
   */
  extremes?: { min: number; max: number } | null;
}

export interface BoxPanel {
  /** "Wi-Fi"; empty if there is only one panel. */
  title: string;
  /** "29 runs" */
  note?: string;
  boxes: readonly BoxDatum[];
}

export interface BoxData {
  /** Accessible name. */
  label: string;
  /** Unit of the values: "ms". */
  unit: string;
  /** Name of the estimate at the marker: "median latency". */
  centre: string;
  panels: readonly BoxPanel[];
  /** If set, only the panel with this title is drawn, under a switch that names it. */
  only?: string | undefined;
  /** Whether all panels share one scale. Otherwise each panel has a separate scale and shows its range. */
  sharedScale?: boolean;
  /** `log` requires values above zero. */
  scale?: 'linear' | 'log';
  /** Whether the axis starts above zero if `isFarFromZero`; the text around the chart must state this. */
  zooms?: boolean;
  heightPx?: number;
  /** Axis title; replaces the unit. */
  axisTitle?: string;
  /** Whether boxes are always horizontal. */
  isLevel?: boolean;
  /** Whether the estimate is drawn as a cross, as in published box plots. */
  hasCross?: boolean;
}

/** Minimum width of an upright box with its value below. In narrower charts, boxes become rows. */
const minBoxPx = 58;
/** Minimum width of panels with rows that are next to each other. */
const minPanelPx = 480;
const gapPx = 16;
/** Minimum width for horizontal boxes. In narrower charts, names and values are above the boxes. */
const plotPx = 140;
/** Gap between neighbouring names. */
const nameGapPx = 8;
const rowPx = 41;
/** Row height with name and value next to the box. */
const lowRowPx = 24;
const valueLinePx = 15;
const axisPx = 22;
const axisTitlePx = 38;
const headPx = 24;
/** Room for points beyond the axis, with their values. */
const brokenPx = 86;

/** One facet, with the layout that all facets share. */
interface Facet {
  data: BoxData;
  panel: BoxPanel;
  axis: Axis;
  note: string;
  showsTitle: boolean;
  /** Space for names and values next to horizontal boxes; null if they are above. */
  beside: { left: number; right: number } | null;
  /** True if name and value need separate lines. */
  isApart: boolean;
}

/** Returns true if the boxes of a chart of this width are horizontal, one below the other. */
export function areBoxesLevel(
  { panels, isLevel = false }: Pick<BoxData, 'panels' | 'isLevel'>,
  width: number,
): boolean {
  if (isLevel) return true;
  const boxes = Math.max(1, ...panels.map((panel) => panel.boxes.length));
  const names = panels.flatMap((panel) =>
    panel.boxes.flatMap(({ treatment, note = '' }) =>
      [...nameLines(treatment.shortLabel), note].map((line) => textWidth(line, { weight: 500 })),
    ),
  );
  return width > 0 && width / panels.length / boxes < Math.max(minBoxPx, widest(names) + nameGapPx);
}

/**
 * Describes a figure for each facet: upright boxes side by side, or horizontal boxes if there is too little
 * room.
 */
export function describeBoxes(palette: Palette, data: BoxData, width: number): Figure[] {
  const { label: name, unit, panels, only, sharedScale = false, scale = 'linear', zooms = false } = data;
  const isLevel = areBoxesLevel(data, width);
  const all = panels.flatMap(({ boxes }) => boxes);
  const room = {
    left: widest(all.map(({ treatment }) => textWidth(treatment.shortLabel, { weight: 500 }))) + 10,
    right: widest(all.map((box) => estimateWidth(rowTexts(box, unit)))) + 12,
  };
  const perRow = Math.max(1, Math.min(panels.length, Math.floor((width + gapPx) / (minPanelPx + gapPx))));
  const beside = (width + gapPx) / perRow - gapPx - room.left - room.right >= plotPx ? room : null;
  const selected = only === undefined ? panels : panels.filter(({ title }) => title === only).slice(0, 1);
  return (selected.length > 0 ? selected : panels.slice(0, 1)).map((panel) => {
    const axis = boxAxis(sharedScale ? panels : [panel], {
      steps: isLevel ? 4 : 5,
      isLog: scale === 'log',
      zooms,
    });
    const range = sharedScale || panels.length === 1 ? '' : `${axis.min} to ${axis.max} ${unit}`;
    const facet: Facet = {
      data: { ...data, label: [name, panel.title].filter(Boolean).join(', ') },
      panel,
      axis,
      note: [panel.note, range].filter(Boolean).join(', '),
      showsTitle: panel.title !== '' && !(isLevel && (only !== undefined || panels.length === 1)),
      beside,
      isApart: !beside && room.left + room.right > width / perRow,
    };
    return isLevel ? describeLevel(palette, facet) : describeUpright(palette, facet);
  });
}

/** Describes horizontal boxes, for phones and for many treatments. */
function describeLevel(palette: Palette, facet: Facet): Figure {
  const { data, panel, axis, note, showsTitle, beside, isApart } = facet;
  const { label: name, unit, axisTitle } = data;
  const head = showsTitle ? headPx : 0;
  const lift = isApart ? valueLinePx : 0;
  const height = beside ? lowRowPx : rowPx + lift;
  const isBroken = panel.boxes.some(({ extremes }) => (extremes?.max ?? 0) > axis.max);
  const margins = { left: 9, right: 4, ...beside };
  return {
    label: name,
    heightPx: head + panel.boxes.length * height + (axisTitle ? axisTitlePx : axisPx),
    margins: {
      top: head,
      bottom: axisTitle ? axisTitlePx : axisPx,
      left: margins.left,
      right: margins.right + (isBroken ? brokenPx : 0),
    },
    x: axis,
    y: rowAxis(panel.boxes.length),
    ground: { xGrid: true, ...(axisTitle ? { xLabel: axisTitle } : { xUnit: unit }) },
    hover: { axis: 'y', px: 16 },
    tips: panel.boxes.map((box, y): Tip => ({ x: hasBox(box) ? box.p50 : axis.min, y, ...tipOf(box, data) })),
    above: (plot) => {
      const { area, x, y, width } = plot;
      const { left, right } = area;
      return [
        ...(showsTitle ? panelTitle(palette, { title: panel.title, note, x: beside ? 0 : left, y: 10 }) : []),
        ...(isBroken ? axisBreak(palette, plot) : []),
        ...panel.boxes.map((box, i) => {
          const { treatment, published } = box;
          const top = beside ? y(i) : y(i) - height / 2 + 9;
          const at = beside ? top : top + 19 + lift;
          const ground = { left, right, top: top - 8, bottom: top + 8 + lift };
          return faded(treatment.isDimmed, [
            ...(beside ? [] : [bar(ground, { fill: palette.surface })]),
            label(treatment.shortLabel, { x: beside ? 0 : left, y: top, weight: 500, fill: palette.text }),
            ...estimateText(palette, { ...rowTexts(box, unit), x: beside ? width : right, y: top + lift }),
            ...drawBox(palette, data, { box, at, half: 7, scale: x, isLevel: true }),
            ...(box.extremes ? drawExtremes(palette, plot, { box, at, axis }) : []),
            ...(published === undefined
              ? []
              : publishedValue(palette, { value: published, x: x(published), y: at, right })),
          ]);
        }),
      ];
    },
  };
}

function rowTexts(box: BoxDatum, unit: string): EstimateTexts {
  const { value, interval } = boxTexts(box);
  const { note, isPreview } = box;
  return { value: hasBox(box) ? `${value} ${unit}` : '', interval, note, isPreview };
}

interface BoxPlace {
  box: BoxDatum;
  at: number;
  half: number;
  scale(value: number): number;
  isLevel: boolean;
}

function drawBox(palette: Palette, data: BoxData, { box, ...place }: BoxPlace): SvgNode[] {
  if (!hasBox(box)) return [];
  return boxMark(palette, box, {
    ...place,
    mark: box.treatment.index,
    isHatched: box.isPreview,
    centre: data.hasCross ? 'median' : 'mean',
    tip: tipOf(box, data).tip.join('; '),
  });
}

function drawExtremes(
  palette: Palette,
  { area, x }: Plot,
  { box, at, axis }: { box: BoxDatum; at: number; axis: Axis },
): SvgNode[] {
  const { treatment, extremes } = box;
  if (!extremes) return [];
  const { min, max } = extremes;
  const stroke = colourOf(palette, treatment.index);
  const point = (cx: number, text: string) =>
    el('circle', { cx, cy: at, r: 2.2, fill: 'none', stroke, strokeWidth: 1.1 }, [el('title', {}, [text])]);
  const isBeyond = max > axis.max;
  const end = isBeyond ? area.right + 22 : x(max);
  return [
    ...(min > 0 ? [point(Math.max(area.left, x(min)), `fastest: ${formatNumber(min)} ms`)] : []),
    point(end, `slowest: ${formatNumber(max)} ms`),
    ...(isBeyond ? [label(formatNumber(max), { x: end + 8, y: at, fill: palette.text3, size: 10 })] : []),
  ];
}

/** Draws a break mark at the end of the axis. Points beyond it show their value without a scale. */
function axisBreak(palette: Palette, { area: { right, bottom } }: Plot): SvgNode[] {
  return [6, 11].map((at) =>
    rule({
      from: [right + at - 3, bottom + 5],
      to: [right + at + 3, bottom - 5],
      stroke: palette.text3,
      width: 1.25,
    }),
  );
}

/** Space below two lines of a name. */
const noteLinePx = 42;

/** Describes upright boxes, with values under the whiskers and names under the axis. */
function describeUpright(palette: Palette, facet: Facet): Figure {
  const { data, panel, axis, note, showsTitle } = facet;
  return {
    label: data.label,
    heightPx: data.heightPx ?? 300,
    margins: {
      top: showsTitle || data.axisTitle ? 28 : 18,
      right: 4,
      bottom: panel.boxes.some((box) => box.note) ? 52 : 38,
      left: tickRoom(axis),
    },
    x: bareAxis(-0.5, panel.boxes.length - 0.5),
    y: axis,
    ground: {},
    hover: { axis: 'x', px: 18 },
    tips: panel.boxes.map((box, x): Tip => ({ x, y: hasBox(box) ? box.p50 : axis.min, ...tipOf(box, data) })),
    above: (plot) => [
      ...(showsTitle ? panelTitle(palette, { title: panel.title, note, x: plot.area.left, y: 8 }) : []),
      ...(data.axisTitle ? [label(data.axisTitle, { x: 0, y: 8, fill: palette.text3 })] : []),
      ...panel.boxes.map((box, i) => {
        const spacing = (plot.area.right - plot.area.left) / panel.boxes.length;
        const place = { at: plot.x(i), half: Math.min(14, spacing * 0.28) };
        return faded(box.treatment.isDimmed, drawColumn(palette, data, { box, plot, ...place }));
      }),
    ],
  };
}

function drawColumn(
  palette: Palette,
  data: BoxData,
  { box, plot, at, half }: { box: BoxDatum; plot: Plot; at: number; half: number },
): SvgNode[] {
  const { treatment, published } = box;
  const { area, y } = plot;
  const { value, interval } = boxTexts(box);
  const below = y(box.p5) + 11;
  const above = Math.max(8, y(box.p95) - (interval ? 24 : 11));
  const top = below + 18 < area.bottom ? below : above;
  const centred = { x: at, anchor: 'middle' as const };
  const [strong, dim] = box.isPreview
    ? [{ fill: palette.text3 }, palette.text3]
    : [{ weight: 600 as const, fill: palette.text }, palette.text2];
  return [
    ...drawBox(palette, data, { box, at, half, scale: y, isLevel: false }),
    label(value, { ...centred, y: top, ...strong, halo: palette.surface }),
    label(interval, { ...centred, y: top + 13, fill: dim, halo: palette.surface }),
    ...nameLines(treatment.shortLabel).map((line, i) =>
      label(line, { ...centred, y: area.bottom + 14 + 14 * i, weight: 500, fill: palette.text }),
    ),
    ...(box.note ? [label(box.note, { ...centred, y: area.bottom + noteLinePx, fill: palette.text2 })] : []),
    ...(published === undefined
      ? []
      : publishedValue(palette, { value: published, x: at + half + 11, y: y(published), right: area.right })),
  ];
}

/** Splits a name: its last part has a separate line under an upright box. */
function nameLines(name: string): string[] {
  const parts = name.split(' · ');
  return parts.length < 2 ? parts : [parts.slice(0, -1).join(' · '), parts.at(-1) ?? ''];
}

interface PanelTitle {
  title: string;
  note: string;
  x: number;
  y: number;
}

function panelTitle(palette: Palette, { title, note, x, y }: PanelTitle): SvgNode[] {
  const end = x + textWidth(title, { weight: 600 }) + 8;
  return [
    label(title, { x, y, weight: 600, size: 11, fill: palette.text, halo: palette.surface }),
    ...(note ? [label(note, { x: end, y, fill: palette.text3 })] : []),
  ];
}

function tipOf(box: BoxDatum, { unit, centre }: BoxData): Pick<Tip, 'tip' | 'pick'> {
  if (!hasBox(box)) return { tip: [box.treatment.label, box.note ?? ''], pick: box.treatment.id };
  const { value, interval } = boxTexts(box);
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

/**
 * Returns all drawn positions. The mean's interval is excluded: it is only text, because it may be many times
 * wider.
 */
export function boxValues(panels: readonly BoxPanel[]): number[] {
  return panels
    .flatMap((panel) => panel.boxes)
    .flatMap((box) => [box.p5, box.p95, box.mean, box.published ?? box.mean])
    .filter(Number.isFinite);
}

/**
 * Returns an axis from zero to a round number above all values. On request, it is logarithmic if possible, or
 * starts above zero.
 */
export function boxAxis(
  panels: readonly BoxPanel[],
  { steps, isLog = false, zooms = false }: { steps: number; isLog?: boolean; zooms?: boolean },
): Axis {
  const values = boxValues(panels);
  if (isLog && canBeLog(values)) return logAxis(values);
  if (zooms && isFarFromZero(panels)) {
    const [min, max] = [Math.min(...values), Math.max(...values)];
    const room = max > min ? (max - min) * 0.04 : max * 0.04;
    return tightAxis({ min: min - room, max: max + room, steps });
  }
  return tightAxis({ min: 0, max: Math.max(0, ...values) * 1.02, steps });
}

/** Returns true if an axis from zero would leave more than half of the plot empty. */
export function isFarFromZero(panels: readonly BoxPanel[]): boolean {
  const values = boxValues(panels);
  return values.length > 0 && Math.min(...values) > Math.max(...values) / 2;
}

/** Ratio of whisker length to box length above which a logarithmic axis is used to show both. */
const longWhiskers = 10;

export function hasLongWhiskers(panels: readonly BoxPanel[]): boolean {
  const isLong = ({ p5, p25, p75, p95 }: BoxDatum) => p75 > p25 && p95 - p5 > longWhiskers * (p75 - p25);
  return canBeLog(boxValues(panels)) && panels.some(({ boxes }) => boxes.some(isLong));
}

function boxTexts(box: BoxDatum): { value: string; interval: string } {
  if (!hasBox(box)) return { value: '', interval: '' };
  return formatInterval({ value: box.mean, lo: box.lo, hi: box.hi }, { unitInHead: true });
}

/** Returns true if there is a box, not only a note. */
function hasBox({ mean }: BoxDatum): boolean {
  return Number.isFinite(mean);
}

/** Returns a row for each panel and treatment. */
export function boxChartTable(panels: readonly BoxPanel[], unit: string): DocumentTable {
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

/**
 * Ratio of values above which a logarithmic axis is used, because boxes on a linear axis would look like
 * lines.
 */
const wide = 40;

function scaleOf(boxes: readonly BoxStatistics[]): 'linear' | 'log' {
  const values = boxes.flatMap(({ p5, p95, mean }) => [p5, p95, mean]);
  return Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > wide ? 'log' : 'linear';
}

/** Draws boxes over all messages of each treatment in a report, with their table. */
export function drawBoxes({ palette, find, report }: FigureContext): BoxFigure {
  const boxes = report.latency.map(({ treatment, box }): BoxDatum => {
    const { mark: index, label: name, shortLabel } = find(treatment);
    return { treatment: { index, label: name, shortLabel }, ...box };
  });
  const picture = drawOnePanel(palette, boxes, {
    label: 'Message latency: box P25 to P75, whiskers P5 to P95',
    what: 'Message latency',
    centre: 'mean',
  });
  const rows = report.latency.map(({ treatment, box, messages }) => ({
    label: find(treatment).shortLabel,
    box: { ...box, messages },
  }));
  return { picture, table: messageTable('Treatment', rows) };
}

export interface BoxFigure {
  picture: Picture | null;
  table: DocumentTable;
}

function messageTable(head: string, rows: readonly Pick<BoxRow, 'label' | 'box'>[]): DocumentTable {
  const quantiles = (['p5', 'p25', 'p50', 'p75', 'p95', 'mean'] as const).map((name) => ({
    head: name === 'mean' ? 'Mean' : name.toUpperCase(),
    unit: 'ms',
    of: ({ box }: Pick<BoxRow, 'box'>) => box[name],
  }));
  return makeTable(rows, [
    { head, of: (row) => row.label },
    ...quantiles,
    { head: 'Messages', of: ({ box }) => box.messages },
  ]);
}

function drawOnePanel(
  palette: Palette,
  boxes: readonly BoxDatum[],
  { label: name, what, centre }: { label: string; what: string; centre: 'mean' | 'median' },
): Picture {
  const scale = scaleOf(boxes);
  const data: BoxData = {
    label: name,
    unit: 'ms',
    centre,
    scale,
    hasCross: centre === 'median',
    isLevel: boxes.some(({ extremes }) => extremes !== undefined),
    axisTitle: `${what}, ms${scale === 'log' ? ' (logarithmic)' : ''}`,
    panels: [{ title: '', boxes }],
  };
  const [figure] = describeBoxes(palette, data, figureWidth);
  if (!figure) throw new RangeError('a chart without panels');
  return drawFigure(figure, palette);
}

export interface BoxRow {
  label: string;
  mark: number;
  box: LatencyBox;
  extremes?: { min: number; max: number } | null;
}

/**
 * Draws a horizontal box for each configuration, with a cross at the median, and its table. Returns no
 * picture without a box.
 */
export function drawBoxRows(palette: Palette, rows: readonly BoxRow[], what: string): BoxFigure {
  const boxes = rows.map(({ label: name, mark, box, extremes = null }): BoxDatum => {
    const treatment = { index: mark, label: name, shortLabel: name };
    return { ...box, treatment, mean: box.p50, extremes };
  });
  const picture =
    rows.length === 0
      ? null
      : drawOnePanel(palette, boxes, { label: `${what}, ms, by configuration`, what, centre: 'median' });
  return { picture, table: messageTable('Configuration', rows) };
}
