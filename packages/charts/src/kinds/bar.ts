import { centreWords, titleOf } from '@mqttlab/shared/analysis/phrase';
import type { ReportResponse } from '@mqttlab/shared/domain/report/report';
import { formatInterval } from '@mqttlab/shared/format/interval';
import { formatNumber } from '@mqttlab/shared/format/number';
import { type Axis, bareAxis, canBeLog, linearAxis, logAxis, rowAxis, tightAxis } from '../drawing/axis.ts';
import { estimateText, estimateWidth, publishedValue } from '../drawing/estimate-text.ts';
import type { Figure, Plot } from '../drawing/figure.ts';
import { type Area, bar, dot, errorBar, faded, hatched, label, legend, rule } from '../drawing/marks.ts';
import { colourOf, fillOf, type Palette } from '../drawing/palette.ts';
import { makePanel, type Panel } from '../drawing/panel.ts';
import { rowNames } from '../drawing/row-names.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { textWidth, widest } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth, layOut, type TreatmentIdentity } from '../drawing/treatments.ts';
import { columnsOf, type DocumentTable } from '../table.ts';

/** One bar, in the chart's unit, with the bounds of its 95 % interval. */
export interface BarDatum {
  treatment: TreatmentIdentity;
  /** null if there is only a note. */
  value: number | null;
  lo?: number;
  hi?: number;
  published?: number;
  /** Written after the value: "3 of 3 flagged". */
  note?: string;
  /** True for a value from flagged runs only, which is hatched and omitted from the table. */
  isPreview?: boolean;
  /** True if flagged runs are included; by default true for a preview. */
  isHatched?: boolean;
}

/** Bars under a heading; an empty title draws no heading. */
export interface BarGroup {
  title: string;
  bars: readonly BarDatum[];
}

export interface BarData {
  label: string;
  /** Unit of the values; written after the last tick of the axis. */
  unit: string;
  groups: readonly BarGroup[];
  /** `log` requires values above zero. It draws markers, because bars would have no zero to start from. */
  scale?: 'linear' | 'log';
}

const rowPx = 24;
/** Row height with names and values above the bars. */
const tallRowPx = 42;
/** Additional height if name and value need separate lines. */
const figureLinePx = 15;
/** Minimum width for the bars. In narrower charts, names and values are above the bars. */
const plotPx = 120;
const axisPx = 22;

/** A bar as drawn, with the colour of `mark`. */
interface DrawnBar extends Pick<BarDatum, 'isPreview' | 'isHatched'> {
  mark: number;
  value: number | null;
  lo?: number | null | undefined;
  hi?: number | null | undefined;
}

interface BarPlace {
  axis: Axis;
  /** Pixel of a value. */
  scale(value: number): number;
  /** Centre of the bar across the values, and half its width. */
  at: number;
  half: number;
  /** Ends of a horizontal bar's guide line on a logarithmic axis; absent for an upright bar. */
  level?: Pick<Area, 'left' | 'right'>;
  tip?: string | undefined;
  /** Drawn on the bar, below its interval. */
  onBar?: readonly SvgNode[];
}

/**
 * Draws a bar from zero, or a marker on a logarithmic axis, with its interval. It is hatched if it includes
 * flagged runs.
 */
export function barMark(palette: Palette, datum: DrawnBar, place: BarPlace): SvgNode[] {
  const { mark, value, lo = null, hi = null, isPreview, isHatched = isPreview } = datum;
  const { axis, at, half, level, tip, onBar = [] } = place;
  // An interval that reaches zero ends at the edge of a logarithmic axis.
  const pixel = (one: number) => place.scale(axis.isLog ? Math.max(axis.min, one) : one);
  const stroke = colourOf(palette, mark);
  const [from, to] = axis.isLog ? [lo ?? value, hi ?? value] : [0, value];
  const [start, end] = [pixel(from ?? 0), pixel(to ?? 0)].sort((a, b) => a - b) as [number, number];
  const across = [at - half, at + half] as const;
  const [left, right, top, bottom] = level ? [start, end, ...across] : [...across, start, end];
  const box = { left, right, top, bottom };
  const isDrawn = value !== null && !axis.isLog;
  return [
    ...(axis.isLog && level
      ? [rule({ from: [level.left, at], to: [level.right, at], stroke: palette.grid })]
      : []),
    ...(isHatched && value !== null ? hatched(box, stroke) : []),
    ...(isDrawn && !isHatched ? [bar(box, { fill: fillOf(palette, mark), stroke }, tip)] : []),
    ...onBar,
    ...(lo === null || hi === null
      ? []
      : [
          errorBar(isPreview ? palette.text3 : palette.text, {
            at: level ? { y: at } : { x: at },
            lo: pixel(lo),
            hi: pixel(hi),
            width: 1.5,
          }),
        ]),
    ...(axis.isLog && level && value !== null
      ? [dot(palette, mark, { x: pixel(value), y: at, size: 4.5 })]
      : []),
  ];
}

/** Half the thickness of a horizontal bar, in px. */
export const levelHalfPx = 7;

/**
 * Describes horizontal bars from zero with their 95 % interval and the value on the right. On narrow screens,
 * names and values are above the bars.
 */
export function describeBars(palette: Palette, data: BarData, width: number): Figure {
  const { label: name, unit, groups, scale = 'linear' } = data;
  const rows = barRows(groups);
  const bars = groups.flatMap((group) => group.bars);
  const left = widest(bars.map(({ treatment }) => textWidth(treatment.shortLabel))) + 24;
  const right = widest(bars.map((datum) => estimateWidth({ ...barFigure(datum), note: datum.note }))) + 16;
  const isWide = width === 0 || width - left - right >= plotPx;
  const isApart = !isWide && left + right + 8 > width;
  const height = isWide ? rowPx : tallRowPx + (isApart ? figureLinePx : 0);
  const axis = barAxis(groups, scale);

  const drawBar = (datum: BarDatum, middle: number, { x: scaleX, area, width: end }: Plot): SvgNode => {
    const { treatment, published, note, isPreview } = datum;
    const { index: mark } = treatment;
    const x = (one: number) => scaleX(axis.isLog ? Math.max(axis.min, one) : one);
    const lift = isApart ? figureLinePx / 2 : 0;
    const y = isWide ? middle : middle + 8 + lift;
    const nameY = isWide ? middle : middle - 10 - lift;
    return faded(treatment.isDimmed, [
      label(treatment.shortLabel, {
        x: isWide ? 0 : area.left + 18,
        y: nameY,
        fill: palette.text2,
        // A negative value moves the zero line to the right.
        halo: palette.surface,
      }),
      dot(palette, mark, { x: isWide ? area.left - 10 : area.left + 8, y: nameY, size: 3 }),
      ...barMark(palette, { ...datum, mark }, { axis, scale: scaleX, at: y, half: levelHalfPx, level: area }),
      ...(published === undefined
        ? []
        : publishedValue(palette, { value: published, x: x(published), y, right: end })),
      ...estimateText(palette, {
        ...barFigure(datum),
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
        const ground = { left: 0, right: plot.width, top: y - height / 2, bottom: y + height / 2 };
        return [
          bar(ground, { fill: palette.surface }),
          label(row.title, { x: 0, y, weight: 600, fill: palette.text }),
        ];
      }),
  };
}

type BarRow = { kind: 'heading'; title: string } | { kind: 'bar'; bar: BarDatum };

/** Returns headings and bars in drawing order. */
export function barRows(groups: readonly BarGroup[]): BarRow[] {
  return groups.flatMap((group): BarRow[] => [
    ...(group.title ? [{ kind: 'heading' as const, title: group.title }] : []),
    ...group.bars.map((bar) => ({ kind: 'bar' as const, bar })),
  ]);
}

/** Returns means, intervals and published values. */
function barValues(groups: readonly BarGroup[]): number[] {
  return groups
    .flatMap((group) => group.bars)
    .flatMap(({ value, lo, hi, published }) => [value, lo, hi, published])
    .filter((value): value is number => Number.isFinite(value));
}

/** Returns the values that determine whether the axis can be logarithmic. Intervals are cut at its edge. */
export function barMeans(groups: readonly BarGroup[]): number[] {
  return groups.flatMap((group) => group.bars).flatMap((bar) => bar.value ?? []);
}

/** Returns an axis from zero, or a logarithmic one if requested and possible. */
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

export function barTable(groups: readonly BarGroup[], unit: string): DocumentTable {
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

/** A bar in a document's figure; `points` are drawn on the bar. */
interface UprightBar {
  /** Style of the bar, explained in the legend. */
  mark: number;
  value: number;
  lo: number | null;
  hi: number | null;
  tip: string;
  points?: readonly { value: number; tip: string }[];
}

/** A missing bar, whose reason is written vertically in its place. */
interface MissingBar {
  note: string;
}

interface BarPanel {
  title: string;
  /** Adjacent bars with one name; null leaves a gap. */
  groups: readonly { label: string; bars: readonly (UprightBar | MissingBar | null)[] }[];
}

interface GroupedBars {
  label: string;
  yLabel: string;
  y: Axis;
  keys: readonly { mark: number; text: string }[];
  panels: readonly BarPanel[];
  heightPx: number;
  maxBarPx: number;
}

const maxPerRow = 3;
/** Height of a line of text. */
const lineRoom = 14;

/** Draws grouped upright bars from zero with 95 % intervals; all panels share one scale. */
function drawGroupedBars(palette: Palette, spec: GroupedBars): Picture {
  const { panels, y, yLabel, heightPx } = spec;
  const keys = legend(palette, spec.keys, { left: 46, top: 0, right: figureWidth });
  const namesOf = ({ groups }: BarPanel, { left, right }: { left: number; right: number }, bottom: number) =>
    rowNames({ palette, rows: groups.map((group) => group.label) }, { left, right, top: 0, bottom });
  const place = (perRow: number) => {
    const [first] = layOut(panels.length, { perRow, panelHeight: 0, top: 0 });
    const names = panels.map((panel) => namesOf(panel, first ?? { left: 0, right: figureWidth }, 0));
    const below = Math.max(0, ...names.map(({ height }) => height));
    const top = keys.height + 28;
    const panelHeight = heightPx + below + 38;
    return {
      below,
      isSlanted: names.some((one) => one.isSlanted),
      places: layOut(panels.length, { perRow, panelHeight, top }),
    };
  };
  // Rows have fewer panels if group names would otherwise be slanted.
  const layouts = [maxPerRow, 2, 1].map((perRow) => place(Math.min(perRow, panels.length)));
  const layout = layouts.find(({ isSlanted }) => !isSlanted) ?? place(1);
  const nodes: SvgNode[] = [...keys.nodes];
  panels.forEach((own, index) => {
    const at = layout.places[index];
    if (!at) return;
    const area = { ...at, bottom: at.top + heightPx };
    const panel = makePanel({
      palette,
      area,
      y,
      x: bareAxis(-0.5, own.groups.length - 0.5),
      title: own.title,
      hidesY: !at.isFirst,
      ...(index === 0 ? { yLabel } : {}),
    });
    const most = Math.max(1, ...own.groups.map(({ bars }) => bars.length));
    const room = Math.min(spec.maxBarPx, ((area.right - area.left) / own.groups.length / most) * 0.8);
    nodes.push(
      ...panel.ground,
      ...own.groups.flatMap(({ bars }, group) =>
        bars.flatMap((one, i) => {
          const x = panel.x(group) + (i - (bars.length - 1) / 2) * room;
          return one === null ? [] : uprightBar(palette, one, { panel, axis: y, x, room });
        }),
      ),
      ...namesOf(own, area, area.bottom).nodes,
    );
  });
  const bottom = Math.max(...layout.places.map(({ top }) => top), 0) + heightPx;
  return { width: figureWidth, height: bottom + layout.below, label: spec.label, nodes };
}

function uprightBar(
  palette: Palette,
  datum: UprightBar | MissingBar,
  { panel, axis, x, room }: { panel: Panel; axis: Axis; x: number; room: number },
): SvgNode[] {
  if ('note' in datum) {
    if (room < lineRoom) return [];
    const y = panel.area.bottom - 6;
    const text = label(datum.note, { x, y, fill: palette.text3 });
    return [el('g', { transform: `rotate(-90 ${x} ${y})` }, [text])];
  }
  const { mark, tip, points = [] } = datum;
  const onBar = points.map((point, i) =>
    dot(palette, mark, {
      x: x + ((i + 0.5) / points.length - 0.5) * room * 0.5,
      y: panel.y(point.value),
      size: 2,
      tip: point.tip,
    }),
  );
  return barMark(palette, datum, { axis, scale: panel.y, at: x, half: room * 0.42, tip, onBar });
}

/** Draws means with 95 % intervals, grouped by row. Every run is a point on its bar. */
export function drawMeans(context: FigureContext, response: ReportResponse): Picture {
  const { palette, rows, colours, find, runName } = context;
  const ends = response.estimates.flatMap(({ mean, lo, hi, values }) =>
    mean === null ? [] : [mean, lo ?? 0, hi ?? 0, ...values.map(({ value }) => value)],
  );
  const barOf = (row: string, colour: string): UprightBar | MissingBar | null => {
    const estimate = response.estimates.find(({ treatment }) => {
      const { rowLabel, colourLabel } = find(treatment);
      return rowLabel === row && colourLabel === colour;
    });
    if (!estimate) return null;
    const { treatment, mean, lo, hi, values, note } = estimate;
    if (mean === null) return note === null ? null : { note };
    const { mark, label: name } = find(treatment);
    const interval = { value: mean, lo: lo ?? undefined, hi: hi ?? undefined };
    const { text } = formatInterval(interval, { unit: response.unit });
    const points = values.map(({ runId, value }) => ({ value, tip: `${runName(runId)}: ${value}` }));
    return { mark, value: mean, lo, hi, tip: `${name}: ${text}`, points };
  };
  return drawGroupedBars(palette, {
    label: `${response.label}: ${centreWords(response.metric)} with 95 % interval`,
    yLabel: `${titleOf(response)}, ${response.unit}`,
    y: linearAxis(ends, { zero: true }),
    keys: colours,
    panels: [
      {
        title: '',
        groups: rows.map((row) => ({ label: row, bars: colours.map(({ text }) => barOf(row, text)) })),
      },
    ],
    heightPx: 240,
    maxBarPx: 54,
  });
}

interface BarsSpec {
  palette: Palette;
  panels: readonly { title: string; groups: readonly { label: string; bars: readonly UprightBar[] }[] }[];
  legend: readonly { mark: number; text: string }[];
  yLabel: string;
  /** Text alternative. */
  label: string;
}

/** Draws grouped bars of several quantities, with a panel for each. Returns null if there is no bar. */
export function drawBars({ palette, panels, legend: keys, yLabel, label: name }: BarsSpec): Picture | null {
  const all = panels.flatMap(({ groups }) => groups.flatMap(({ bars }) => bars));
  if (all.length === 0) return null;
  // An interval that reaches beyond twice its bar, because of few runs, would flatten all other bars. Only
  // the table contains it.
  const shownOf = (one: UprightBar): UprightBar => {
    const isShown = one.lo !== null && one.hi !== null && one.lo < one.hi && one.hi <= 2 * one.value;
    return {
      ...one,
      tip: `${one.tip}: ${formatNumber(one.value)}`,
      lo: isShown ? Math.max(0, one.lo ?? 0) : null,
      hi: isShown ? one.hi : null,
    };
  };
  return drawGroupedBars(palette, {
    label: name,
    yLabel,
    y: linearAxis(
      all.flatMap((one) => [one.value, shownOf(one).hi ?? one.value]),
      { zero: true },
    ),
    keys,
    panels: panels.map(({ title, groups }) => ({
      title,
      groups: groups.map((group) => ({ ...group, bars: group.bars.map(shownOf) })),
    })),
    heightPx: 170,
    maxBarPx: 26,
  });
}
