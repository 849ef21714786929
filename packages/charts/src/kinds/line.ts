import { titleOf } from '@mqttlab/shared/analysis/phrase';
import type { ReportSaturation } from '@mqttlab/shared/domain/report/report';
import type { ReportEnergy } from '@mqttlab/shared/domain/report/report-energy';
import type { StabilityCurve } from '@mqttlab/shared/domain/report/report-stability';
import { type Axis, cropAxis, linearAxis, logAxis } from '../drawing/axis.ts';
import { band, bar, clipped, dot, label, legend, line, rule } from '../drawing/marks.ts';
import type { Palette } from '../drawing/palette.ts';
import { makePanel, type Panel } from '../drawing/panel.ts';
import type { Picture, SvgNode } from '../drawing/svg.ts';
import { textWidth, wrapText } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth, layOut } from '../drawing/treatments.ts';
import type { DocumentTable, TableColumn } from '../table.ts';

/** A line in a document's panel. */
interface PanelLine {
  mark: number;
  points: readonly LinePoint[];
  /** Values drawn as markers, for single runs or for points without measurements between them. */
  dots?: readonly { x: number; y: number }[];
}

export interface LinePoint {
  x: number;
  y: number | null;
  lo?: number | null;
  hi?: number | null;
}

interface LinePanel {
  title: string;
  lines: readonly PanelLine[];
}

interface LinePanels {
  label: string;
  xLabel: string;
  yLabel: string;
  keys: readonly { mark: number; text: string }[];
  panels: readonly LinePanel[];
  x: Axis;
  y: Axis;
  /** End of the shaded warm-up, which starts at the left edge. */
  shadeTo?: number;
  heightPx?: number;
}

const titleHeight = 14;

/** Draws lines with bands in small multiples on common axes. */
function drawLinePanels(palette: Palette, spec: LinePanels): Picture {
  const { panels, x, y, yLabel, xLabel, shadeTo, heightPx = 150 } = spec;
  const keys = legend(palette, spec.keys, { left: 46, top: 0, right: figureWidth });
  const perRow = panels.length === 4 ? 2 : 3;
  const [first] = layOut(panels.length, { perRow, panelHeight: heightPx, top: 0 });
  const panelWidth = first ? first.right - first.left : figureWidth;
  const titles = panels.map(({ title }) => wrapText(title, panelWidth));
  // A multi-line title leaves no room for the unit, so the unit has a separate line above all panels.
  const most = Math.max(1, ...titles.map(({ length }) => length));
  const isLong = most > 1 || textWidth(`${panels[0]?.title}  ${yLabel}`) * 1.1 > panelWidth;
  const above = (most - 1) * titleHeight;
  const places = layOut(panels.length, {
    perRow,
    panelHeight: heightPx + 58 + above,
    top: keys.height + 22 + above + (isLong ? 16 : 0),
  });
  const nodes: SvgNode[] = [...keys.nodes];
  if (isLong) nodes.push(label(yLabel, { x: 46, y: keys.height + 8, fill: palette.text3 }));
  panels.forEach(({ title, lines }, index) => {
    const place = places[index];
    if (!place) return;
    const area = { ...place, bottom: place.top + heightPx };
    const panel = makePanel({
      palette,
      area,
      x,
      y,
      hidesY: !place.isFirst,
      ...(title && most === 1 ? { title } : {}),
      ...(index === 0 && !isLong ? { yLabel } : {}),
      ...(place.isLast ? { xLabel } : {}),
    });
    const heads = most > 1 ? (titles[index] ?? []) : [];
    nodes.push(
      ...heads.map((text, i) =>
        label(text, {
          x: area.left,
          y: area.top - 10 - (heads.length - 1 - i) * titleHeight,
          fill: palette.text,
          weight: 600,
        }),
      ),
      ...(shadeTo !== undefined && shadeTo > x.min
        ? [bar({ ...area, right: panel.x(shadeTo) }, { fill: palette.shade })]
        : []),
      ...panel.ground,
      ...(y.min < 0 && !y.isLog
        ? [rule({ from: [area.left, panel.y(0)], to: [area.right, panel.y(0)], stroke: palette.axis })]
        : []),
      // Markers at the ends extend beyond the panel.
      clipped({ ...area, top: area.top - 1, bottom: area.bottom + 1 }, panelLines(palette, panel, lines)),
      ...lines.flatMap(({ mark, dots = [] }) =>
        dots.map((at) => dot(palette, mark, { x: panel.x(at.x), y: panel.y(at.y), size: 3 })),
      ),
    );
  });
  const bottom = Math.max(...places.map(({ top }) => top), 0) + heightPx;
  return { width: figureWidth, height: bottom + 38, label: spec.label, nodes };
}

/** Draws lines, with all bands below all lines. */
function panelLines(palette: Palette, panel: Panel, lines: readonly PanelLine[]): SvgNode[] {
  return [
    ...lines.flatMap(({ mark, points }) =>
      band(
        palette,
        mark,
        points.map(({ x, lo = null, hi = null }) =>
          lo === null || hi === null ? null : { x: panel.x(x), lo: panel.y(lo), hi: panel.y(hi) },
        ),
      ),
    ),
    ...lines.map(({ mark, points }) =>
      line(
        palette,
        mark,
        points.map(({ x, y }) => (y === null ? null : [panel.x(x), panel.y(y)])),
      ),
    ),
  ];
}

interface LinesSpec {
  label: string;
  xLabel: string;
  yLabel: string;
  series: readonly { treatment: string; points: readonly LinePoint[] }[];
  /** Whether the y axis starts at zero. */
  zero?: boolean;
  isLog?: boolean;
  x?: Axis;
  shadeTo?: number;
}

/** Draws treatments as lines with bands, with one small multiple for each row of the report. */
export function drawLines(context: FigureContext, spec: LinesSpec): Picture {
  const { palette, rows, colours, find } = context;
  const { series, isLog = false, zero = false, ...rest } = spec;
  const points = series.flatMap((one) => one.points);
  const ofRow = (row: string) => series.filter(({ treatment }) => find(treatment).rowLabel === row);
  return drawLinePanels(palette, {
    ...rest,
    keys: colours.filter(({ text }) => series.some(({ treatment }) => find(treatment).colourLabel === text)),
    panels: rows
      .filter((row) => ofRow(row).length > 0)
      .map((row) => ({
        title: row,
        lines: ofRow(row).map(({ treatment, points: own }) => ({ mark: find(treatment).mark, points: own })),
      })),
    // Latency has no values in the warm-up, so an axis over it would be half empty.
    x: spec.x ?? exactAxis(points.flatMap(({ x, y }) => (y === null ? [] : [x]))),
    y: isLog
      ? logAxis(points.flatMap(({ y }) => y ?? []))
      : linearAxis(visibleRange(points), { zero, steps: 4 }),
  });
}

/**
 * Returns the range of typical values. Excludes noisy points and wide bands, which would flatten the rest.
 */
function visibleRange(points: readonly LinePoint[]): number[] {
  const values = points.flatMap(({ y }) => y ?? []).sort((a, b) => a - b);
  const at = (share: number) => values[Math.round(share * (values.length - 1))] ?? 0;
  const usual = at(0.96) - at(0.04);
  const low = Math.max(at(0), at(0.04) - 2 * usual);
  const high = Math.min(at(1), at(0.96) + 2 * usual);
  const room = (high - low) * 0.25;
  const floor = at(0) >= 0 ? 0 : low - room;
  const bounds = points.flatMap(({ lo, hi }) => [lo, hi].flatMap((v) => v ?? []));
  const within = bounds.filter((v) => v >= floor && v <= high + room);
  return [low, high, ...within];
}

/** Returns an axis with round ticks between its exact ends. */
function exactAxis(values: readonly number[]): Axis {
  const axis = linearAxis(values, { steps: 5 });
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return max > min ? cropAxis(axis, { min, max }) : axis;
}

/** Values of one treatment over time, with their intervals. */
export interface OverTime {
  treatment: string;
  timesMs: readonly number[];
  value: readonly (number | null)[];
  lo: readonly (number | null)[];
  hi: readonly (number | null)[];
}

/** Returns the points of lines with bands, with seconds on the x axis. */
export function linesOverTime(all: readonly OverTime[]) {
  return all.map(({ treatment, timesMs, value, lo, hi }) => ({
    treatment,
    points: timesMs.map(
      (ms, i): Required<LinePoint> => ({
        x: ms / 1000,
        y: value[i] ?? null,
        lo: lo[i] ?? null,
        hi: hi[i] ?? null,
      }),
    ),
  }));
}

/** Returns one row per treatment and time. `heads` names the value, the lower and the upper end. */
export function tableOverTime(
  all: readonly OverTime[],
  { name, heads, unit }: { name(treatment: string): string; heads: readonly string[]; unit: string },
): { columns: TableColumn[]; rows: (string | number | null)[][] } {
  return {
    columns: [{ head: 'Treatment' }, { head: 'Time', unit: 's' }, ...heads.map((head) => ({ head, unit }))],
    rows: linesOverTime(all).flatMap(({ treatment, points }) =>
      points.map(({ x, y, lo, hi }) => [name(treatment), x, y, lo, hi]),
    ),
  };
}

interface CurvesSpec {
  label: string;
  unit: string;
  xLabel: string;
  curves: readonly StabilityCurve[];
  zero?: boolean;
}

/**
 * Draws means over runs with their bands, with seconds on the x axis, and returns the same values as a table.
 */
export function curveFigure(
  context: FigureContext,
  { label: name, unit, xLabel, curves, zero = false }: CurvesSpec,
): { picture: Picture | null; table: DocumentTable } {
  const all = curves.map(({ mean, ...curve }) => ({ ...curve, value: mean }));
  const spec = { label: name, xLabel, yLabel: unit, series: linesOverTime(all), zero };
  return {
    picture: all.length === 0 ? null : drawLines(context, spec),
    table: tableOverTime(all, { name: context.name, heads: ['Mean', '95 % CI from', '95 % CI to'], unit }),
  };
}

/** Maximum number of bands in one panel. If there are more, each has a separate panel. */
const maxTogether = 2;

/** Draws runs over a numeric factor with their fitted lines and 95 % bands. All panels share one scale. */
export function drawSaturation(
  { palette }: Pick<FigureContext, 'palette'>,
  fits: readonly ReportSaturation[],
): Picture {
  const isOneColour = fits.length > 1 && fits.every(({ mark }) => mark === fits[0]?.mark);
  const shown = fits.map((fit, index) => ({ ...fit, mark: isOneColour ? index + 1 : fit.mark }));
  const isSplit = shown.length > maxTogether;
  const lineOf = ({ mark, band: own, points }: ReportSaturation): PanelLine => ({
    mark,
    points: own,
    dots: points,
  });
  const [first] = shown;
  return drawLinePanels(palette, {
    label: 'Linear fit over a factor',
    xLabel: first ? [first.factor, first.factorUnit].filter(Boolean).join(', ') : '',
    yLabel: first ? `${titleOf(first)}, ${first.unit}` : '',
    keys: isSplit ? [] : shown.map(({ mark, group }) => ({ mark, text: group })),
    panels: isSplit
      ? shown.map((fit) => ({ title: fit.group, lines: [lineOf(fit)] }))
      : [{ title: '', lines: shown.map(lineOf) }],
    x: paddedAxis(shown.flatMap(({ points }) => points.map((point) => point.x))),
    y: linearAxis(
      shown.flatMap(({ points, band: own }) => [
        ...points.map((point) => point.y),
        ...own.flatMap(({ lo, hi }) => [lo, hi]),
      ]),
    ),
    heightPx: 190,
  });
}

/** Returns an axis with room between the outer points and its edges. */
function paddedAxis(values: readonly number[]): Axis {
  const axis = linearAxis(values, { steps: 4 });
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low) * 0.04;
  const [min, max] = [Math.min(axis.min, low - room), Math.max(high + room, Math.min(axis.max, high + room))];
  return cropAxis(axis, { min, max });
}

/** Draws the change in energy by length of the set-up, with one line for each load. */
export function drawSensitivity(
  { palette }: FigureContext,
  { cells }: NonNullable<ReportEnergy['sensitivity']>,
): Picture {
  const loads = [...new Set(cells.map(({ loadFactor }) => loadFactor))];
  const percent = (change: number | null) => (change ?? 0) * 100;
  return drawLinePanels(palette, {
    label: 'Sensitivity of the energy',
    xLabel: 'set-up length, relative to the measured length',
    yLabel: 'change in energy, %',
    keys: loads.map((load, index) => ({ mark: index + 1, text: `load × ${load}` })),
    panels: [
      {
        title: '',
        lines: loads.map((load, index) => {
          const points = cells
            .filter(({ loadFactor }) => loadFactor === load)
            .map((cell) => ({ x: cell.handshakeFactor, y: percent(cell.relChange) }));
          return { mark: index + 1, points, dots: points };
        }),
      },
    ],
    x: linearAxis(cells.map(({ handshakeFactor }) => handshakeFactor)),
    y: linearAxis(
      cells.map(({ relChange }) => percent(relChange)),
      { zero: true },
    ),
    heightPx: 220,
  });
}
