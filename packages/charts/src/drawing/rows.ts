import type { Axis } from './axis.ts';
import type { Palette } from './palette.ts';
import { label, line, makePanel, type Panel } from './plot.ts';
import { el, type Picture, type SvgNode } from './svg.ts';
import { textWidth } from './text-width.ts';
import { figureWidth } from './treatments.ts';

/** A line of a drawing whose names stand at the left. */
export interface NamedRow {
  label: string;
  /** Written above the first of neighbours that share it. */
  group?: string | undefined;
}

interface RowsSpec<Row> {
  palette: Palette;
  rows: readonly Row[];
  x: Axis;
  xLabel: string;
  /** Text alternative. */
  label: string;
  /** Above the rows, for a key. */
  top?: number;
  /** Right of the axis, for figures. */
  rightRoom?: number;
  width?: number;
  /** A key above the rows, or lines across all of them. */
  around?: (panel: Panel) => SvgNode[];
  draw: (row: Row, y: number, panel: Panel) => SvgNode[];
}

const rowHeight = 20;
const groupHeight = 20;

/** One line for each row over a common axis, names at the left, groups under their heading. */
export function drawRows<Row extends NamedRow>(spec: RowsSpec<Row>): Picture {
  const { palette, rows, x, xLabel, top = 4, rightRoom = 12, width = figureWidth } = spec;
  const starts = rows.map(({ group }, index) => group !== undefined && group !== rows[index - 1]?.group);
  const left = Math.min(width * 0.5, Math.max(60, ...rows.map((row) => textWidth(row.label))) + 14);
  const bottom = top + rows.length * rowHeight + starts.filter(Boolean).length * groupHeight + 4;
  const panel = makePanel({
    palette,
    area: { left, right: width - rightRoom, top, bottom },
    x,
    y: { min: 0, max: 1, ticks: [], isLog: false, format: String },
    xLabel: `${xLabel}${x.isLog ? ' (logarithmic)' : ''}`,
  });
  const nodes: SvgNode[] = [
    ...(spec.around?.(panel) ?? []),
    ...x.ticks.map((tick) =>
      line({ from: [panel.x(tick), top], to: [panel.x(tick), bottom], stroke: palette.grid }),
    ),
    ...panel.ground,
  ];
  let at = top + 4;
  rows.forEach((row, index) => {
    if (starts[index] && row.group !== undefined) {
      nodes.push(label(row.group, { x: 0, y: at + groupHeight / 2, fill: palette.text, weight: 600 }));
      at += groupHeight;
    }
    const y = at + rowHeight / 2;
    nodes.push(label(row.label, { x: left - 10, y, anchor: 'end', fill: palette.text2 }));
    nodes.push(...spec.draw(row, y, panel));
    at += rowHeight;
  });
  return { width, height: bottom + 38, label: spec.label, nodes };
}

/** A bar along a row between two places of its axis. */
export function rowBar(
  [from, to]: readonly [number, number],
  y: number,
  { fill, opacity, tip, stroke }: { fill: string; opacity: number; tip?: string; stroke?: string },
): SvgNode {
  const place = { x: Math.min(from, to), y: y - 7, width: Math.abs(to - from), height: 14 };
  const paint = { fill, fillOpacity: opacity, stroke, strokeWidth: stroke && 0.75 };
  return el('rect', { ...place, ...paint }, tip ? [el('title', {}, [tip])] : []);
}
