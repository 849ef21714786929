import { bareAxis, linearAxis } from '../drawing/axis.ts';
import { colourOf } from '../drawing/palette.ts';
import { errorBarAcross, label, line, makePanel, marker } from '../drawing/plot.ts';
import { published } from '../drawing/shapes.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import { shorten, textWidth } from '../drawing/text-width.ts';
import { type FigureContext, figureWidth } from '../drawing/treatments.ts';

export interface ForestRow {
  name: string;
  mark: number;
  value: number | null;
  lo: number | null;
  hi: number | null;
  /** Figures at the right. */
  text: string;
  /** Drawn as a bar from zero. */
  isBar?: boolean;
  /** Another estimate of the same, as a hollow diamond. */
  other?: number | null;
  /** Stands above the row. */
  heading?: string;
}

const rowHeight = 22;
/** For the names of rows. */
const maxLeft = 300;

/** Estimates with intervals around a line of no effect, names at the left, figures at the right. */
export function drawForest(
  { palette }: FigureContext,
  rows: readonly ForestRow[],
  { unit, title }: { unit: string; title: string },
): Picture {
  const widest = Math.max(...rows.map(({ name }) => textWidth(name)), 60);
  const left = Math.min(maxLeft, widest + 24);
  const rightRoom = Math.max(...rows.map(({ text }) => textWidth(text)), 40) + 14;
  const lines = rows.reduce((count, { heading }) => count + (heading ? 2 : 1), 0);
  const top = 20;
  const area = { left, right: figureWidth - rightRoom, top, bottom: top + lines * rowHeight + 4 };
  const axis = linearAxis(
    rows.flatMap(({ value, lo, hi, other }) => [value ?? 0, lo ?? 0, hi ?? 0, other ?? 0]),
    { zero: true, steps: 6 },
  );
  const panel = makePanel({ palette, area, x: axis, y: bareAxis(0, 1), xGrid: true, xLabel: unit });
  const zero = panel.x(0);
  const nodes: SvgNode[] = [
    ...panel.ground,
    line({ from: [zero, area.top], to: [zero, area.bottom], stroke: palette.text3, dash: '3 3' }),
  ];
  let y = top + rowHeight / 2;
  for (const row of rows) {
    if (row.heading) {
      nodes.push(label(row.heading, { x: 0, y, fill: palette.text, weight: 600 }));
      y += rowHeight;
    }
    nodes.push(
      label(widest + 24 > left ? shorten(row.name, left - 8) : row.name, { x: 12, y, fill: palette.text2 }),
    );
    if (row.value === null) {
      nodes.push(label('no estimate', { x: zero, y, anchor: 'middle', fill: palette.text3 }));
    } else {
      if (row.isBar) {
        const fill = colourOf(palette, row.mark);
        const [from, to] = [zero, panel.x(row.value)].sort((a, b) => a - b);
        const bar = { x: from ?? zero, y: y - 7, width: (to ?? zero) - (from ?? zero), height: 14 };
        nodes.push(el('rect', { ...bar, fill, fillOpacity: 0.22, stroke: fill }));
      }
      if (row.lo !== null && row.hi !== null) {
        const stroke = colourOf(palette, row.mark);
        nodes.push(errorBarAcross(stroke, { y, lo: panel.x(row.lo), hi: panel.x(row.hi), width: 1.75 }));
      }
      if (!row.isBar) {
        nodes.push(
          marker(palette, row.mark, { x: panel.x(row.value), y, size: 4, tip: `${row.name}: ${row.text}` }),
        );
      }
    }
    if (row.other !== undefined && row.other !== null) nodes.push(published(palette, panel.x(row.other), y));
    nodes.push(label(row.text, { x: figureWidth - 4, y, anchor: 'end', fill: palette.text }));
    y += rowHeight;
  }
  return { width: figureWidth, height: area.bottom + 36, label: title, nodes: [el('g', {}, nodes)] };
}
