import { formatNumber } from '@mqttlab/shared/format/number';
import { linearAxis } from '../drawing/axis.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { label, type Panel } from '../drawing/plot.ts';
import { drawRows, type NamedRow, rowBar } from '../drawing/rows.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { textWidth } from '../drawing/text-width.ts';

interface StackRow extends NamedRow {
  /** By name of the part; what is null was not told. */
  parts: Readonly<Record<string, number | null>>;
}

interface StacksSpec {
  palette: Palette;
  /** In the order in which they follow each other. */
  names: readonly string[];
  /** Every part of such figures: a part keeps its style in all of them. */
  order: readonly string[];
  rows: readonly StackRow[];
  unit: string;
  label: string;
}

/** None is that of a baseline. */
const styles = [7, 2, 6, 4, 5, 8];

/**
 * Parts of a whole end to end, a line for each configuration; each line has its sum at the end. Returns null if no part
 * of any line is known.
 */
export function drawStacks({ palette, names, order, rows, unit, label: told }: StacksSpec): Picture | null {
  if (rows.every(({ parts }) => names.every((name) => (parts[name] ?? null) === null))) return null;
  const fillOf = (name: string) =>
    colourOf(palette, styles[Math.max(0, order.indexOf(name)) % styles.length] ?? 1);
  const shown = names.filter((name) => rows.some(({ parts }) => (parts[name] ?? 0) > 0));
  const totalOf = ({ parts }: StackRow) => shown.reduce((sum, name) => sum + (parts[name] ?? 0), 0);
  const draw = ({ parts, ...row }: StackRow, y: number, panel: Panel) => {
    let at = 0;
    const bars = shown.map((name) => {
      const value = parts[name] ?? 0;
      const ends = [panel.x(at), panel.x(at + value)] as const;
      at += value;
      const tip = `${name}: ${formatNumber(value)} ${unit}`;
      return rowBar(ends, y, { fill: fillOf(name), opacity: 0.55, tip, stroke: palette.surface });
    });
    const isEmpty = shown.every((name) => (parts[name] ?? null) === null);
    const text = isEmpty ? 'unknown' : `${formatNumber(totalOf({ ...row, parts }))} ${unit}`;
    const fill = isEmpty ? palette.text3 : palette.text;
    return [...bars, label(text, { x: panel.x(at) + 6, y, fill })];
  };
  return drawRows({
    palette,
    rows,
    x: linearAxis(rows.map(totalOf), { zero: true }),
    xLabel: unit,
    label: told,
    top: 34,
    rightRoom: 76,
    around: ({ area }) => key(palette, shown, { left: area.left, fillOf }),
    draw,
  });
}

function key(
  palette: Palette,
  names: readonly string[],
  { left, fillOf }: { left: number; fillOf: (name: string) => string },
): SvgNode[] {
  let x = Math.min(left, 120);
  return names.flatMap((name) => {
    const at = x;
    x += 22 + textWidth(name) + 14;
    return [
      el('rect', { x: at, y: 4, width: 14, height: 12, fill: fillOf(name), fillOpacity: 0.55 }),
      label(name, { x: at + 20, y: 10, fill: palette.text2 }),
    ];
  });
}
