import { type Axis, cropAxis, linearAxis, logAxis } from '../drawing/axis.ts';
import { band, curve, label, legend, line, makePanel } from '../drawing/plot.ts';
import { clipped } from '../drawing/shapes.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { textWidth, wrapText } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth, layOut } from '../drawing/treatments.ts';

const titleHeight = 14;

export interface LineSeries {
  treatment: string;
  points: readonly { x: number; y: number | null; lo?: number | null; hi?: number | null }[];
}

export interface LinesSpec {
  label: string;
  xLabel: string;
  yLabel: string;
  series: readonly LineSeries[];
  /** The y axis starts at zero. */
  zero?: boolean;
  isLog?: boolean;
  x?: Axis;
  /** Shaded from the left end to here: the warm-up. */
  shadeTo?: number;
  heightPx?: number;
}

/** Lines with bands over a common axis, one small multiple for each row. */
export function drawLines(context: FigureContext, spec: LinesSpec): Picture {
  const { palette, rows, colours, find } = context;
  const shownRows = rows.filter((row) =>
    spec.series.some(({ treatment }) => find(treatment).rowLabel === row),
  );
  const shownColours = colours.filter(({ text }) =>
    spec.series.some(({ treatment }) => find(treatment).colourLabel === text),
  );
  const keys = legend(palette, shownColours, { left: 46, top: 0, right: figureWidth });
  const points = spec.series.flatMap((one) => one.points);
  const yAxis = spec.isLog
    ? logAxis(points.flatMap(({ y }) => y ?? []))
    : linearAxis(visibleRange(points), { zero: spec.zero ?? false, steps: 4 });
  // Latency has no values in the warm-up: an axis over it would be half empty.
  const xAxis = spec.x ?? exactAxis(points.flatMap(({ x, y }) => (y === null ? [] : [x])));
  const panelHeight = spec.heightPx ?? 150;
  const perRow = shownRows.length === 4 ? 2 : 3;
  const [first] = layOut(shownRows.length, { perRow, panelHeight, top: 0 });
  const panelWidth = first ? first.right - first.left : figureWidth;
  const titles = shownRows.map((row) => wrapText(row, panelWidth));
  // A title on several lines leaves the unit a line of its own above all panels.
  const most = Math.max(1, ...titles.map(({ length }) => length));
  const isLong = most > 1 || textWidth(`${shownRows[0]}  ${spec.yLabel}`) * 1.1 > panelWidth;
  const above = (most - 1) * titleHeight;
  const places = layOut(shownRows.length, {
    perRow,
    panelHeight: panelHeight + 58 + above,
    top: keys.height + 22 + above + (isLong ? 16 : 0),
  });
  const nodes: SvgNode[] = [...keys.nodes];
  if (isLong) nodes.push(label(spec.yLabel, { x: 46, y: keys.height + 8, fill: palette.text3 }));
  shownRows.forEach((row, index) => {
    const place = places[index];
    if (!place) return;
    const area = { ...place, bottom: place.top + panelHeight };
    const panel = makePanel({
      palette,
      area,
      x: xAxis,
      y: yAxis,
      hidesY: !place.isFirst,
      ...(row && most === 1 ? { title: row } : {}),
      ...(index === 0 && !isLong ? { yLabel: spec.yLabel } : {}),
      ...(place.isLast ? { xLabel: spec.xLabel } : {}),
    });
    const shade =
      spec.shadeTo !== undefined && spec.shadeTo > xAxis.min
        ? [
            el('rect', {
              x: area.left,
              y: area.top,
              width: panel.x(spec.shadeTo) - area.left,
              height: area.bottom - area.top,
              fill: palette.shade,
            }),
          ]
        : [];
    const own = spec.series.filter(({ treatment }) => find(treatment).rowLabel === row);
    const drawn = [
      ...own.flatMap(({ treatment, points: at }) =>
        band(
          palette,
          find(treatment).mark,
          at.map(({ x, lo, hi }) =>
            lo === null || lo === undefined || hi === null || hi === undefined
              ? null
              : { x: panel.x(x), lo: panel.y(lo), hi: panel.y(hi) },
          ),
        ),
      ),
      ...own.map(({ treatment, points: at }) =>
        curve(
          palette,
          find(treatment).mark,
          at.map(({ x, y }) => (y === null ? null : [panel.x(x), panel.y(y)])),
        ),
      ),
    ];
    const lines = most > 1 ? (titles[index] ?? []) : [];
    nodes.push(
      ...lines.map((text, line) =>
        label(text, {
          x: area.left,
          y: area.top - 10 - (lines.length - 1 - line) * titleHeight,
          fill: palette.text,
          weight: 600,
        }),
      ),
      ...shade,
      ...panel.ground,
      ...(yAxis.min < 0 && !yAxis.isLog
        ? [line({ from: [area.left, panel.y(0)], to: [area.right, panel.y(0)], stroke: palette.axis })]
        : []),
      clipped({ ...area, top: area.top - 1, bottom: area.bottom + 1 }, drawn),
    );
  });
  const bottom = Math.max(...places.map(({ top }) => top), 0) + panelHeight;
  return { width: figureWidth, height: bottom + 38, label: spec.label, nodes };
}

/** What is usual decides the scale; one noisy instant and wide bands are cut, or they would flatten all else. */
function visibleRange(points: LineSeries['points']): number[] {
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

/** Round ticks inside, the ends as they are. */
function exactAxis(values: readonly number[]): Axis {
  const axis = linearAxis(values, { steps: 5 });
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (!(max > min)) return axis;
  return cropAxis(axis, { min, max });
}
