import type { Axis } from './axis.ts';
import { type Area, clipped, faded, type LineStyle, legend, line } from './marks.ts';
import type { Palette } from './palette.ts';
import { makePanel, type Panel, type PanelSpec } from './panel.ts';
import { el, type Picture, type SvgNode } from './svg.ts';
import { figureWidth } from './treatments.ts';

/**
 * A datum with its tooltip and the treatment that a click selects. The first line of the tooltip is its
 * title.
 */
export interface Tip {
  x: number;
  y: number;
  tip: readonly string[];
  pick?: string | undefined;
}

export interface FigureLine extends LineStyle {
  points: readonly Tip[];
  isDimmed?: boolean;
}

/** A panel with the size of the whole drawing. */
export interface Plot extends Panel {
  width: number;
  height: number;
}

/**
 * The description of a figure with one panel. Chart.js shows it on the page, and `drawFigure` draws it in
 * documents.
 */
export interface Figure {
  /** Name of the comparison, with which the text alternative made by `alternativeOf` begins. */
  label: string;
  /** The result in words, if it is neither single rows nor the ends of lines. */
  finding?: string;
  /** Fixed height, so that updates cause no layout shift. A figure is as wide as its column. */
  heightPx: number;
  /** Space around the panel for names and tick labels, in px. */
  margins: Area;
  x: Axis;
  y: Axis;
  /** Style of axes and grid; null if the figure has none or draws its own. */
  ground: Pick<PanelSpec, 'xUnit' | 'xLabel' | 'xGrid' | 'hidesX' | 'hidesY'> | null;
  /** Data joined by lines; the most important line is last. */
  lines?: readonly FigureLine[];
  /** Data shown by marks. */
  tips?: readonly Tip[];
  /** Axis along which the pointer selects the nearest datum, and the maximum distance in px. */
  hover: { axis: 'x' | 'y' | 'xy'; px: number };
  /** Draw the marks behind the lines and in front of them. */
  below?(plot: Plot): SvgNode[];
  above?(plot: Plot): SvgNode[];
}

/** Maximum number of values that a text alternative lists. */
const maxListed = 8;

/**
 * Returns the text alternative of a figure: its name and its result. Many rows are summarised by the lowest
 * and the highest value.
 */
export function alternativeOf({ label, finding, lines = [], tips = [], hover }: Figure): string {
  const isListed = hover.axis !== 'xy' && tips.length > 0;
  const said = finding ?? (isListed ? rowsInWords(tips, hover.axis) : endsInWords(lines));
  return said === '' ? label : `${label}: ${said}`;
}

function rowsInWords(tips: readonly Tip[], across: 'x' | 'y' | 'xy'): string {
  const words = ({ tip: [name = '', ...values] }: Tip) => `${name} ${values.slice(0, 2).join(', ')}`.trim();
  if (tips.length <= maxListed) return tips.map(words).join('; ');
  const sorted = tips.toSorted((a, b) => (across === 'y' ? a.x - b.x : a.y - b.y));
  const ends = [sorted[0], sorted.at(-1)].flatMap((tip) => (tip ? words(tip) : []));
  return `${tips.length} values, from ${ends.join(' to ')}`;
}

/** Returns "TLS 1.3: 0.45 ms at 3 s" for the last point of each line. */
function endsInWords(lines: readonly FigureLine[]): string {
  const ends = lines.flatMap(({ points }) => points.at(-1)?.tip.toReversed().join(' at ') ?? []);
  const more = ends.length > maxListed ? [`${ends.length - maxListed} more`] : [];
  return [...ends.slice(0, maxListed), ...more].join('; ');
}

export interface FigureLayers {
  below: SvgNode[];
  lines: SvgNode[];
  above: SvgNode[];
}

export function figureLayers(
  figure: Figure,
  palette: Palette,
  { width, height }: { width: number; height: number },
): FigureLayers {
  const { margins, x, y, ground, lines = [], below, above } = figure;
  const area = {
    left: margins.left,
    top: margins.top,
    right: width - margins.right,
    bottom: height - margins.bottom,
  };
  const plot = { ...makePanel({ palette, area, x, y, ...ground }), width, height };
  const curves = lines.map(({ points, isDimmed = false, ...style }) =>
    faded(isDimmed, [
      line(
        palette,
        style,
        points.map((point) => [plot.x(point.x), plot.y(point.y)]),
      ),
    ]),
  );
  return {
    below: [...(ground ? plot.ground : []), ...(below?.(plot) ?? [])],
    lines: curves.length > 0 ? [clipped(area, curves)] : [],
    above: above?.(plot) ?? [],
  };
}

interface DrawOptions {
  width?: number;
  /** Treatments in a legend above the figure. */
  keys?: readonly { mark: number; text: string }[];
}

const legendGap = 8;

/** Draws a figure as a standalone picture. */
export function drawFigure(
  figure: Figure,
  palette: Palette,
  { width = figureWidth, keys = [] }: DrawOptions = {},
): Picture {
  const { below, lines, above } = figureLayers(figure, palette, { width, height: figure.heightPx });
  const nodes = [...below, ...lines, ...above];
  const label = alternativeOf(figure);
  if (keys.length === 0) return { width, height: figure.heightPx, label, nodes };
  const names = legend(palette, keys, { left: figure.margins.left, top: 0, right: width });
  const top = names.height + legendGap;
  return {
    width,
    height: top + figure.heightPx,
    label,
    nodes: [...names.nodes, el('g', { transform: `translate(0 ${top})` }, nodes)],
  };
}
