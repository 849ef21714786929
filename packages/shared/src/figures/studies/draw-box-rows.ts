import type { LatencyBox } from '../../domain/runs/comparison.ts';
import { formatNumber } from '../../format/number.ts';
import { linearAxis, logAxis } from '../drawing/axis.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { label, line, makePanel, marker, type Panel } from '../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { textWidth } from '../drawing/text-width.ts';
import { figureWidth } from '../drawing/treatments.ts';

export interface BoxRow {
  label: string;
  mark: number;
  box: LatencyBox;
  /** Fastest and slowest message of all runs, drawn as points; beyond the whiskers’ axis on its broken end. */
  extremes?: { min: number; max: number } | null;
}

const rowHeight = 20;
/** Whiskers this far apart are drawn on a logarithm: on a plain axis the boxes would be lines. */
const wide = 40;
/** Room for points beyond the axis, with their values. */
const brokenWidth = 86;

/** Box P25 to P75, whiskers P5 to P95, marker at the mean; one line for each configuration. */
export function drawBoxRows(
  palette: Palette,
  rows: readonly BoxRow[],
  what = 'Message latency, ms',
): Picture {
  const values = rows.flatMap(({ box }) => [box.p5, box.p95, box.mean]);
  const isLog = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > wide;
  const axis = isLog ? logAxis(values) : linearAxis(values, { zero: true });
  const left = Math.max(60, ...rows.map((row) => textWidth(row.label))) + 14;
  const [top, bottom] = [4, 8 + rows.length * rowHeight];
  const isBroken = rows.some(({ extremes }) => (extremes?.max ?? 0) > axis.max);
  const panel = makePanel({
    palette,
    area: { left, right: figureWidth - (isBroken ? brokenWidth : 12), top, bottom },
    x: axis,
    y: { min: 0, max: 1, ticks: [], isLog: false, format: String },
    xLabel: `${what}${isLog ? ' (logarithmic)' : ''}`,
  });
  const nodes: SvgNode[] = [
    ...axis.ticks.map((tick) =>
      line({ from: [panel.x(tick), top], to: [panel.x(tick), bottom], stroke: palette.grid }),
    ),
    ...panel.ground,
  ];
  if (isBroken) nodes.push(...axisBreak(palette, panel.area));
  rows.forEach(({ label: name, mark, box, extremes }, index) => {
    const y = top + rowHeight * (index + 0.5) + 2;
    const stroke = colourOf(palette, mark);
    const tip = `${name}: median ${formatNumber(box.p50)} ms, P5 ${formatNumber(box.p5)}, P95 ${formatNumber(box.p95)}, ${box.messages} messages`;
    if (extremes) nodes.push(...points({ palette, stroke, y, extremes, axisMax: axis.max, panel }));
    nodes.push(
      label(name, { x: left - 10, y, anchor: 'end', fill: palette.text2 }),
      line({ from: [panel.x(box.p5), y], to: [panel.x(box.p25), y], stroke, width: 1.25 }),
      line({ from: [panel.x(box.p75), y], to: [panel.x(box.p95), y], stroke, width: 1.25 }),
      el(
        'rect',
        {
          x: panel.x(box.p25),
          y: y - 6,
          width: Math.max(1, panel.x(box.p75) - panel.x(box.p25)),
          height: 12,
          fill: stroke,
          fillOpacity: 0.18,
          stroke,
          strokeWidth: 1.25,
        },
        [el('title', {}, [tip])],
      ),
      line({ from: [panel.x(box.p50), y - 6], to: [panel.x(box.p50), y + 6], stroke, width: 2 }),
      marker(palette, mark, { x: panel.x(box.mean), y, size: 3, tip }),
    );
  });
  return { width: figureWidth, height: bottom + 38, label: `${what} by configuration`, nodes };
}

interface Points {
  palette: Palette;
  stroke: string;
  y: number;
  extremes: { min: number; max: number };
  axisMax: number;
  panel: Panel;
}

function points({ palette, stroke, y, extremes, axisMax, panel }: Points): SvgNode[] {
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

/** Rows of every configuration whose latency was measured, the fastest first. */
export function boxTable(rows: readonly BoxRow[]) {
  const columns = ['P5', 'P25', 'P50', 'P75', 'P95', 'Mean'].map((head) => ({ head, unit: 'ms' }));
  return {
    columns: [{ head: 'Configuration' }, ...columns, { head: 'Messages' }],
    rows: rows.map(({ label: name, box }) => [
      name,
      box.p5,
      box.p25,
      box.p50,
      box.p75,
      box.p95,
      box.mean,
      box.messages,
    ]),
  };
}
