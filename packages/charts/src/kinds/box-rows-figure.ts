import type { LatencyBox } from '@mqttlab/shared/domain/runs/comparison';
import { formatNumber } from '@mqttlab/shared/format/number';
import { linearAxis, logAxis } from '../drawing/axis.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { label, line, marker, type Panel } from '../drawing/plot.ts';
import { drawRows } from '../drawing/rows.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import type { DocumentTable } from '../table.ts';
import { makeTable } from '../table.ts';

export interface BoxRow {
  label: string;
  mark: number;
  box: LatencyBox;
  /** Fastest and slowest message of all runs, drawn as points; beyond the whiskers’ axis on its broken end. */
  extremes?: { min: number; max: number } | null;
}

/** Whiskers this far apart are drawn on a logarithm: on a plain axis the boxes would be lines. */
const wide = 40;
/** Room for points beyond the axis, with their values. */
const brokenWidth = 86;

/** Box P25 to P75, whiskers P5 to P95, cross at the median, one line for each configuration; with its table. No picture without a box. */
export function boxFigure(
  palette: Palette,
  rows: readonly BoxRow[],
  what = 'Message latency, ms',
): { picture: Picture | null; table: DocumentTable } {
  if (rows.length === 0) return { picture: null, table: boxTable(rows) };
  const values = rows.flatMap(({ box }) => [box.p5, box.p95, box.mean]);
  const isLog = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > wide;
  const axis = isLog ? logAxis(values) : linearAxis(values, { zero: true });
  const isBroken = rows.some(({ extremes }) => (extremes?.max ?? 0) > axis.max);
  const picture = drawRows({
    palette,
    rows,
    x: axis,
    xLabel: what,
    label: `${what} by configuration`,
    rightRoom: isBroken ? brokenWidth : 12,
    around: ({ area }) => (isBroken ? axisBreak(palette, area) : []),
    draw: (row, y, panel) => drawBox(palette, row, { y, panel, axisMax: axis.max }),
  });
  return { picture, table: boxTable(rows) };
}

function boxTable(rows: readonly BoxRow[]): DocumentTable {
  const columns = (['p5', 'p25', 'p50', 'p75', 'p95', 'mean'] as const).map((name) => ({
    head: name === 'mean' ? 'Mean' : name.toUpperCase(),
    unit: 'ms',
    of: ({ box }: BoxRow) => box[name],
  }));
  return makeTable(rows, [
    { head: 'Configuration', of: (row) => row.label },
    ...columns,
    { head: 'Messages', of: ({ box }) => box.messages },
  ]);
}

interface Place {
  y: number;
  panel: Panel;
  axisMax: number;
}

function drawBox(palette: Palette, { label: name, mark, box, extremes }: BoxRow, place: Place): SvgNode[] {
  const { y, panel } = place;
  const stroke = colourOf(palette, mark);
  const { x } = panel;
  const tip = `${name}: median ${formatNumber(box.p50)} ms, P5 ${formatNumber(box.p5)}, P95 ${formatNumber(box.p95)}, ${box.messages} messages`;
  const width = Math.max(1, x(box.p75) - x(box.p25));
  const frame = { x: x(box.p25), y: y - 6, width, height: 12, fill: stroke, fillOpacity: 0.18 };
  return [
    ...(extremes ? drawExtremes({ palette, stroke, extremes, ...place }) : []),
    line({ from: [x(box.p5), y], to: [x(box.p25), y], stroke, width: 1.25 }),
    line({ from: [x(box.p75), y], to: [x(box.p95), y], stroke, width: 1.25 }),
    el('rect', { ...frame, stroke, strokeWidth: 1.25 }, [el('title', {}, [tip])]),
    line({ from: [x(box.p50), y - 6], to: [x(box.p50), y + 6], stroke, width: 2 }),
    // As the published box plots have it; 6 is the cross.
    marker(palette, mark, { x: x(box.p50), y, size: 3, tip, shape: 6 }),
  ];
}

interface Extremes extends Place {
  palette: Palette;
  stroke: string;
  extremes: { min: number; max: number };
}

function drawExtremes({ palette, stroke, y, extremes, axisMax, panel }: Extremes): SvgNode[] {
  const { min, max } = extremes;
  const circle = (cx: number, text: string) =>
    el('circle', { cx, cy: y, r: 2.2, fill: 'none', stroke, strokeWidth: 1.1 }, [el('title', {}, [text])]);
  const beyond = max > axisMax;
  const at = beyond ? panel.area.right + 22 : panel.x(max);
  return [
    ...(min > 0 ? [circle(Math.max(panel.area.left, panel.x(min)), `fastest: ${formatNumber(min)} ms`)] : []),
    circle(at, `slowest: ${formatNumber(max)} ms`),
    ...(beyond ? [label(formatNumber(max), { x: at + 8, y, fill: palette.text3, size: 10 })] : []),
  ];
}

/** Two strokes across the axis: what stands right of them has no scale, and its value beside it. */
function axisBreak(palette: Palette, { right, bottom }: Panel['area']): SvgNode[] {
  return [6, 11].map((at) =>
    line({
      from: [right + at - 3, bottom + 5],
      to: [right + at + 3, bottom - 5],
      stroke: palette.text3,
      width: 1.25,
    }),
  );
}
