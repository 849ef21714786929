import type { Axis } from './axis.ts';
import type { Palette } from './palette.ts';
import { type CurveLook, curve, makePanel, type Panel, type PanelSpec } from './plot.ts';
import { type Area, clipped, faded } from './shapes.ts';
import type { SvgNode } from './svg.ts';

/** A datum: the lines a pointer near it is told, the first their title, and the treatment that a click chooses. */
export interface Tip {
  x: number;
  y: number;
  tip: readonly string[];
  pick?: string | undefined;
}

export interface FigureLine extends CurveLook {
  points: readonly Tip[];
  isDimmed?: boolean;
}

/** A panel with the size of the whole drawing around it. */
export interface Plot extends Panel {
  width: number;
  height: number;
}

/** A figure of one panel, described once: Chart.js shows it on the page, `figureLayers` draws it into files. */
export interface Figure {
  /** Accessible name: what is compared, and the finding if there is one. */
  label: string;
  /** Fixed, so that nothing moves while it updates; it is as wide as its column. */
  heightPx: number;
  /** Around the panel, px: room for names and tick labels. */
  margins: Area;
  x: Axis;
  y: Axis;
  /** How axes and grid look; null where the figure has none or its own. */
  ground: Pick<PanelSpec, 'xUnit' | 'xGrid' | 'hidesX' | 'hidesY'> | null;
  /** Data joined by lines, the most important last. */
  lines?: readonly FigureLine[];
  /** Data that marks stand for. */
  tips?: readonly Tip[];
  /** The nearest datum is found along this axis, within so many px of it. */
  hover: { axis: 'x' | 'y' | 'xy'; px: number };
  /** Marks behind the lines and in front of them. */
  below?(plot: Plot): SvgNode[];
  above?(plot: Plot): SvgNode[];
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
  const curves = lines.map(({ points, isDimmed = false, ...look }) =>
    faded(isDimmed, [
      curve(
        palette,
        look,
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
