import { formatNumber } from '../../format/number.ts';
import { linearAxis, logAxis } from '../drawing/axis.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { label, line, makePanel, marker } from '../drawing/plot.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { textWidth } from '../drawing/text-width.ts';

export interface BesideRow {
  label: string;
  /** Starts a group of rows, written above it. */
  group?: string;
  measured: readonly { mark: number; value: number; lo?: number | null; hi?: number | null; tip: string }[];
  published: readonly number[];
}

export interface BesideSpec {
  palette: Palette;
  rows: readonly BesideRow[];
  xLabel: string;
  isLog?: boolean;
  width: number;
  /** What a reader who does not see it is told. */
  label: string;
  /** Only published values: no key of what is measured. */
  publishedOnly?: boolean;
  /** Bars from zero under what is measured; not on a logarithm. */
  bars?: boolean;
}

const rowHeight = 22;
const groupHeight = 20;

/** One line for each configuration: measured as filled markers with interval, published as hollow diamonds. */
export function drawBeside(spec: BesideSpec): Picture {
  const { palette, rows, xLabel, isLog = false, width } = spec;
  const values = rows.flatMap(({ measured, published }) => [
    ...published,
    ...measured.flatMap(({ value, lo, hi }) => [value, ...(isLog ? [] : [lo ?? value, hi ?? value])]),
  ]);
  const axis = isLog ? logAxis(values) : linearAxis(values, { zero: true, steps: width < 400 ? 3 : 5 });
  const left = Math.min(width * 0.5, Math.max(60, ...rows.map((row) => textWidth(row.label))) + 14);
  const top = spec.publishedOnly ? 4 : 26;
  const bottom =
    top + rows.length * rowHeight + rows.filter(({ group }) => group !== undefined).length * groupHeight + 4;
  const panel = makePanel({
    palette,
    area: { left, right: width - 12, top, bottom },
    x: axis,
    y: { min: 0, max: 1, ticks: [], isLog: false, format: String },
    xLabel: `${xLabel}${isLog ? ' (logarithmic)' : ''}`,
  });
  const nodes: SvgNode[] = [
    ...(spec.publishedOnly
      ? []
      : key(
          palette,
          left,
          rows.some(({ published }) => published.length > 0),
        )),
    ...axis.ticks.map((tick) =>
      line({ from: [panel.x(tick), top], to: [panel.x(tick), bottom], stroke: palette.grid }),
    ),
    ...panel.ground,
  ];
  let at = top + 4;
  for (const row of rows) {
    if (row.group !== undefined) {
      nodes.push(label(row.group, { x: 0, y: at + groupHeight / 2, fill: palette.text, weight: 600 }));
      at += groupHeight;
    }
    const y = at + rowHeight / 2;
    nodes.push(label(row.label, { x: left - 10, y, anchor: 'end', fill: palette.text2 }));
    // Below what is measured, so that both are seen where they agree.
    for (const value of row.published)
      nodes.push(diamond(palette, panel.x(value), y, formatNumber(value, 5)));
    for (const { mark, value } of spec.bars && !isLog ? row.measured : []) {
      const [from, to] = [panel.x(0), panel.x(value)];
      const fill = colourOf(palette, mark);
      nodes.push(
        el('rect', { x: from, y: y - 7, width: Math.max(0, to - from), height: 14, fill, fillOpacity: 0.28 }),
      );
    }
    for (const { mark, value, lo, hi, tip } of row.measured) {
      if (lo !== null && lo !== undefined && hi !== null && hi !== undefined && (!isLog || lo > 0)) {
        nodes.push(line({ from: [panel.x(lo), y], to: [panel.x(hi), y], stroke: palette.text, width: 1.25 }));
      }
      nodes.push(marker(palette, mark, { x: panel.x(value), y, size: 3.2, tip }));
    }
    at += rowHeight;
  }
  return { width, height: bottom + 38, label: spec.label, nodes };
}

/** As the page draws what others published, everywhere. */
export function diamond(palette: Palette, ...[x, y, figure]: [number, number, string]): SvgNode {
  return el(
    'path',
    { d: `M${x} ${y - 6}l6 6l-6 6l-6 -6Z`, fill: palette.surface, stroke: palette.text, strokeWidth: 1.5 },
    [el('title', {}, [`published: ${figure}`])],
  );
}

function key(palette: Palette, left: number, hasPublished: boolean): SvgNode[] {
  const at = hasPublished ? left + 96 : left + 6;
  return [
    ...(hasPublished
      ? [
          diamond(palette, left + 6, 8, 'hollow diamond'),
          label('published', { x: left + 18, y: 8, fill: palette.text2 }),
        ]
      : []),
    marker(palette, 1, { x: at, y: 8, size: 4 }),
    label('measured here, with 95 % interval', { x: at + 10, y: 8, fill: palette.text2 }),
  ];
}
