import { type Area, label } from './marks.ts';
import { el, type SvgNode } from './svg.ts';
import { shorten, textWidth, wrapText } from './text-width.ts';
import type { FigureContext } from './treatments.ts';

const lineHeight = 13;

interface RowNames {
  nodes: SvgNode[];
  height: number;
  /** True if a name is wider than its space. */
  isSlanted: boolean;
}

/** Draws row names below a panel with columns of equal width. Long names are wrapped. */
export function rowNames({ palette, rows }: Pick<FigureContext, 'palette' | 'rows'>, area: Area): RowNames {
  const width = (area.right - area.left) / Math.max(1, rows.length);
  const lines = rows.map((row) => (row === '' ? [] : wrapText(row, width - 8)));
  if (lines.flat().some((text) => textWidth(text) * 1.08 > width - 4))
    return slanted({ palette, rows }, area);
  const nodes = lines.flatMap((own, index) =>
    own.map((text, place) =>
      label(text, {
        x: area.left + width * (index + 0.5),
        y: area.bottom + 14 + place * lineHeight,
        anchor: 'middle',
        fill: palette.text,
        weight: 600,
      }),
    ),
  );
  const most = Math.max(0, ...lines.map(({ length }) => length));
  return { nodes, height: most === 0 ? 10 : 13 + most * lineHeight, isSlanted: false };
}

const longest = 190;
const slope = Math.PI / 6;

/** Draws slanted names that end below their column, for words wider than the column. */
function slanted({ palette, rows }: Pick<FigureContext, 'palette' | 'rows'>, area: Area): RowNames {
  const width = (area.right - area.left) / rows.length;
  const texts = rows.map((row, index) =>
    shorten(row, Math.min(longest, (area.left + width * (index + 0.5)) / Math.cos(slope))),
  );
  const nodes = texts.map((text, index) => {
    const [x, y] = [area.left + width * (index + 0.5) + 4, area.bottom + 14];
    return el('g', { transform: `rotate(-30 ${x} ${y})` }, [
      label(text, { x, y, anchor: 'end', fill: palette.text, weight: 600 }),
    ]);
  });
  const most = Math.max(...texts.map((text) => textWidth(text) * 1.1));
  return { nodes, height: 24 + most * Math.sin(slope), isSlanted: true };
}
