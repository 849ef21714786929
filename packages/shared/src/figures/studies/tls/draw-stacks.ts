import { formatNumber } from '../../../format/number.ts';
import { linearAxis } from '../../drawing/axis.ts';
import { colourOf, type Palette } from '../../drawing/palette.ts';
import { label, line, makePanel } from '../../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../../drawing/svg.ts';
import { textWidth } from '../../drawing/text-width.ts';
import { figureWidth } from '../../drawing/treatments.ts';

export interface StackRow {
  label: string;
  /** Starts a group of rows, written above it. */
  group?: string;
  /** By name of the part; what is null was not told. */
  parts: Readonly<Record<string, number | null>>;
}

export interface StacksSpec {
  palette: Palette;
  /** In the order in which they follow each other. */
  names: readonly string[];
  /** Every part of such figures: a part keeps its style in all of them. */
  order: readonly string[];
  rows: readonly StackRow[];
  unit: string;
  label: string;
}

const rowHeight = 22;
/** None is that of a baseline. */
const styles = [7, 2, 6, 4, 5, 8];

/** Parts of a whole end to end, a line for each configuration; each line has its sum at the end. */
export function drawStacks({ palette, names, order, rows, unit, label: told }: StacksSpec): Picture {
  const fillOf = (name: string) =>
    colourOf(palette, styles[Math.max(0, order.indexOf(name)) % styles.length] ?? 1);
  const shown = names.filter((name) => rows.some(({ parts }) => (parts[name] ?? 0) > 0));
  const totals = rows.map(({ parts }) => shown.reduce((sum, name) => sum + (parts[name] ?? 0), 0));
  const left = Math.max(60, ...rows.map((row) => textWidth(row.label))) + 16;
  const top = 34;
  const groups = rows.filter(({ group }) => group !== undefined).length;
  const bottom = top + (rows.length + groups) * rowHeight + 4;
  const panel = makePanel({
    palette,
    area: { left, right: figureWidth - 76, top, bottom },
    x: linearAxis(totals, { zero: true }),
    y: { min: 0, max: 1, ticks: [], isLog: false, format: String },
    xLabel: unit,
  });
  const nodes: SvgNode[] = [
    ...key(
      palette,
      shown.map((name) => ({ name, fill: fillOf(name) })),
      left,
    ),
    ...linearAxis(totals, { zero: true }).ticks.map((tick) =>
      line({ from: [panel.x(tick), top], to: [panel.x(tick), bottom], stroke: palette.grid }),
    ),
    ...panel.ground,
  ];
  let y = top + rowHeight / 2;
  rows.forEach((row, index) => {
    if (row.group !== undefined) {
      nodes.push(label(row.group, { x: 0, y, fill: palette.text, weight: 600 }));
      y += rowHeight;
    }
    nodes.push(label(row.label, { x: left - 8, y, anchor: 'end', fill: palette.text2 }));
    let at = 0;
    for (const name of shown) {
      const value = row.parts[name] ?? 0;
      const [from, to] = [panel.x(at), panel.x(at + value)];
      nodes.push(
        el(
          'rect',
          {
            x: from,
            y: y - 7,
            width: Math.max(0, to - from),
            height: 14,
            fill: fillOf(name),
            fillOpacity: 0.55,
            stroke: palette.surface,
            strokeWidth: 0.75,
          },
          [el('title', {}, [`${name}: ${formatNumber(value)} ${unit}`])],
        ),
      );
      at += value;
    }
    const isEmpty = shown.every((name) => (row.parts[name] ?? null) === null);
    const text = isEmpty ? 'not told' : `${formatNumber(totals[index] ?? 0)} ${unit}`;
    nodes.push(label(text, { x: panel.x(at) + 6, y, fill: isEmpty ? palette.text3 : palette.text }));
    y += rowHeight;
  });
  return { width: figureWidth, height: bottom + 38, label: told, nodes };
}

function key(palette: Palette, names: readonly { name: string; fill: string }[], left: number): SvgNode[] {
  let x = Math.min(left, 120);
  return names.flatMap(({ name, fill }) => {
    const at = x;
    x += 22 + textWidth(name) + 14;
    return [
      el('rect', { x: at, y: 4, width: 14, height: 12, fill, fillOpacity: 0.55 }),
      label(name, { x: at + 20, y: 10, fill: palette.text2 }),
    ];
  });
}
