import { type Axis, scaleOf } from './axis.ts';
import { markerPath } from './marker-path.ts';
import { colourOf, dashOf, type Palette } from './palette.ts';
import { el, type SvgNode } from './svg.ts';
import { textWidth } from './text-width.ts';

/** Where one panel of a drawing lies, in pixels. */
export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Panel {
  area: Area;
  x(value: number): number;
  y(value: number): number;
  /** Grid, ticks and labels. */
  ground: SvgNode[];
}

export interface PanelSpec {
  palette: Palette;
  area: Area;
  x: Axis;
  y: Axis;
  /** Written under the x axis and above the y axis; a title names the panel. */
  xLabel?: string;
  yLabel?: string;
  title?: string;
  /** Leaves the tick labels of an axis to its neighbour. */
  hidesX?: boolean;
  hidesY?: boolean;
}

/** Axes, grid and names of a panel; what is drawn on it comes after its ground. */
export function makePanel(spec: PanelSpec): Panel {
  const { palette, area, x: xAxis, y: yAxis } = spec;
  const x = scaleOf(xAxis, area.left, area.right);
  const y = scaleOf(yAxis, area.bottom, area.top);
  const ground: SvgNode[] = [];
  for (const tick of yAxis.ticks) {
    ground.push(
      line({
        from: [area.left, y(tick)],
        to: [area.right, y(tick)],
        stroke: tick === 0 ? palette.axis : palette.grid,
      }),
    );
    if (!spec.hidesY) {
      ground.push(
        label(yAxis.format(tick), { x: area.left - 6, y: y(tick), anchor: 'end', fill: palette.text3 }),
      );
    }
  }
  ground.push(line({ from: [area.left, area.bottom], to: [area.right, area.bottom], stroke: palette.axis }));
  if (!spec.hidesX) ground.push(...xTicks(spec, x));
  if (spec.title) {
    ground.push(label(spec.title, { x: area.left, y: area.top - 10, fill: palette.text, weight: 600 }));
  }
  if (spec.yLabel) {
    const width = spec.title ? textWidth(spec.title) * 1.08 + 10 : 0;
    ground.push(label(spec.yLabel, { x: area.left + width, y: area.top - 10, fill: palette.text3 }));
  }
  if (spec.xLabel) {
    ground.push(
      label(spec.xLabel, { x: area.right, y: area.bottom + 30, anchor: 'end', fill: palette.text3 }),
    );
  }
  return { area, x, y, ground };
}

function xTicks({ palette, area, x: axis }: PanelSpec, x: Panel['x']): SvgNode[] {
  let free = Number.NEGATIVE_INFINITY;
  return axis.ticks.flatMap((tick) => {
    const text = axis.format(tick);
    const half = (textWidth(text) / 2) * 1.1;
    const at = x(tick);
    // Labels at the ends stay inside, so that those of neighbouring panels do not meet.
    const centre = Math.min(Math.max(at, area.left + half - 4), area.right - half + 4);
    if (centre - half < free) return [];
    free = centre + half + 6;
    return [
      line({ from: [at, area.bottom], to: [at, area.bottom + 3], stroke: palette.axis }),
      label(text, { x: centre, y: area.bottom + 13, anchor: 'middle', fill: palette.text3 }),
    ];
  });
}

export interface LineSpec {
  from: readonly [number, number];
  to: readonly [number, number];
  stroke: string;
  width?: number;
  dash?: string | undefined;
}

export function line({ from, to, stroke, width = 1, dash }: LineSpec): SvgNode {
  return el('line', {
    x1: from[0],
    y1: from[1],
    x2: to[0],
    y2: to[1],
    stroke,
    strokeWidth: width,
    strokeDasharray: dash,
  });
}

export interface LabelSpec {
  x: number;
  y: number;
  fill: string;
  anchor?: 'start' | 'middle' | 'end';
  weight?: 400 | 500 | 600;
  size?: number;
  /** Colour of a rim that keeps it readable on lines. */
  halo?: string;
}

/** One line of text, vertically centred on y. */
export function label(text: string, { x, y, fill, anchor, weight, size, halo }: LabelSpec): SvgNode {
  const rim = halo === undefined ? {} : { stroke: halo, strokeWidth: 3, paintOrder: 'stroke' };
  const font = { textAnchor: anchor, fontWeight: weight, fontSize: size };
  return el('text', { x, y: y + 4, fill, ...font, ...rim }, [text]);
}

/** A treatment's marker, filled with its colour; `tip` is shown on hovering. */
export function marker(
  palette: Palette,
  mark: number,
  { x, y, size = 3.5, tip }: { x: number; y: number; size?: number; tip?: string },
): SvgNode {
  const { d, isStroke } = markerPath(((mark - 1) % 8) + 1, { x, y, size });
  const colour = colourOf(palette, mark);
  const paint = isStroke
    ? { fill: 'none', stroke: colour, strokeWidth: 1.5 }
    : { fill: colour, stroke: palette.surface, strokeWidth: 0.5 };
  return el('path', { d, ...paint }, tip ? [el('title', {}, [tip])] : []);
}

/** A curve in a treatment's colour and dash; null breaks it. */
export function curve(
  palette: Palette,
  mark: number,
  points: readonly (readonly [number, number] | null)[],
): SvgNode {
  let isOpen = false;
  const d = points
    .map((point) => {
      if (point === null) {
        isOpen = false;
        return '';
      }
      const command = isOpen ? 'L' : 'M';
      isOpen = true;
      return `${command}${fixed(point[0])} ${fixed(point[1])}`;
    })
    .join('');
  return el('path', {
    d,
    fill: 'none',
    stroke: colourOf(palette, mark),
    strokeWidth: 1.5,
    strokeDasharray: dashOf(mark),
    strokeLinejoin: 'round',
  });
}

/** A band between two edges, in a treatment's colour; null breaks it. */
export function band(
  palette: Palette,
  mark: number,
  points: readonly ({ x: number; lo: number; hi: number } | null)[],
): SvgNode[] {
  const parts: { x: number; lo: number; hi: number }[][] = [[]];
  for (const point of points) {
    if (point === null) parts.push([]);
    else parts.at(-1)?.push(point);
  }
  return parts
    .filter((part) => part.length > 1)
    .map((part) => {
      const top = part.map(({ x, hi }) => `${fixed(x)} ${fixed(hi)}`);
      const back = part.toReversed().map(({ x, lo }) => `${fixed(x)} ${fixed(lo)}`);
      return el('path', {
        d: `M${[...top, ...back].join('L')}Z`,
        fill: colourOf(palette, mark),
        fillOpacity: 0.13,
      });
    });
}

/** An error bar with caps, upright. */
export function errorBar(
  stroke: string,
  { x, lo, hi, cap = 3.5 }: { x: number; lo: number; hi: number; cap?: number },
): SvgNode {
  const d = `M${fixed(x)} ${fixed(lo)}V${fixed(hi)}M${fixed(x - cap)} ${fixed(lo)}h${2 * cap}M${fixed(x - cap)} ${fixed(hi)}h${2 * cap}`;
  return el('path', { d, stroke, strokeWidth: 1.25, fill: 'none' });
}

/** An error bar with caps, lying. */
export function errorBarAcross(
  stroke: string,
  { y, lo, hi, cap = 3.5 }: { y: number; lo: number; hi: number; cap?: number },
): SvgNode {
  const d = `M${fixed(lo)} ${fixed(y)}H${fixed(hi)}M${fixed(lo)} ${fixed(y - cap)}v${2 * cap}M${fixed(hi)} ${fixed(y - cap)}v${2 * cap}`;
  return el('path', { d, stroke, strokeWidth: 1.25, fill: 'none' });
}

/** Names beside their line and marker, left to right, in as many lines as the width needs. */
export function legend(
  palette: Palette,
  entries: readonly { mark: number; text: string }[],
  { left, top, right }: { left: number; top: number; right: number },
): { nodes: SvgNode[]; height: number } {
  let x = left;
  let y = top + 8;
  const nodes = entries.flatMap(({ mark, text }) => {
    const width = 30 + textWidth(text) + 16;
    if (x + width > right && x > left) {
      x = left;
      y += 18;
    }
    const at = x;
    x += width;
    return [
      curve(palette, mark, [
        [at, y],
        [at + 24, y],
      ]),
      marker(palette, mark, { x: at + 12, y }),
      label(text, { x: at + 30, y, fill: palette.text2 }),
    ];
  });
  return { nodes, height: y - top + 14 };
}

function fixed(value: number): number {
  return Math.round(value * 100) / 100;
}
