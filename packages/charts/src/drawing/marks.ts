import { markerPath } from './marker-path.ts';
import { colourOf, dashOf, fillOf, type Palette } from './palette.ts';
import { el, type SvgNode } from './svg.ts';
import { textWidth } from './text-width.ts';

/** A rectangle of a drawing, in px. */
export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type Point = readonly [number, number];

function titled(tip: string | undefined): SvgNode[] {
  return tip ? [el('title', {}, [tip])] : [];
}

function fixed(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Returns a path that joins points by straight lines; null breaks the path. */
export function pathThrough(points: readonly (Point | null)[]): string {
  return points
    .map((point, i) => (point ? `${points[i - 1] ? 'L' : 'M'}${fixed(point[0])} ${fixed(point[1])}` : ''))
    .join('');
}

interface RuleSpec {
  from: Point;
  to: Point;
  stroke: string;
  width?: number;
  dash?: string | undefined;
}

/** Draws a straight line between two points. */
export function rule({ from, to, stroke, width = 1, dash }: RuleSpec): SvgNode {
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
  /** Colour of an outline that keeps the text readable on lines. */
  halo?: string;
}

/** Draws one line of text, vertically centred on y. */
export function label(text: string, { x, y, fill, anchor, weight, size, halo }: LabelSpec): SvgNode {
  const rim = halo === undefined ? {} : { stroke: halo, strokeWidth: 3, paintOrder: 'stroke' };
  const font = { textAnchor: anchor, fontWeight: weight, fontSize: size };
  return el('text', { x, y: y + 4, fill, ...font, ...rim }, [text]);
}

interface BarPaint {
  fill: string;
  fillOpacity?: number;
  stroke?: string | undefined;
  strokeWidth?: number;
  /** Corner radius, px. */
  rx?: number;
}

/** Draws a rectangle between two corners, in either order; `tip` is shown on hovering. */
export function bar(
  { left, right, top, bottom }: Area,
  { stroke, strokeWidth = 1.25, ...paint }: BarPaint,
  tip?: string,
): SvgNode {
  const place = {
    x: Math.min(left, right),
    y: Math.min(top, bottom),
    width: Math.abs(right - left),
    height: Math.abs(bottom - top),
  };
  const rim = stroke === undefined ? {} : { stroke, strokeWidth };
  return el('rect', { ...place, ...paint, ...rim }, titled(tip));
}

interface DotSpec {
  x: number;
  y: number;
  size?: number;
  tip?: string | undefined;
  /** Draws only the outline, for values that are excluded or not resolved. */
  isHollow?: boolean;
  /** Index of another treatment whose shape is used. */
  shape?: number;
}

/** Draws a treatment's marker, filled with its colour; `tip` is shown on hovering. */
export function dot(
  palette: Palette,
  mark: number,
  { x, y, size = 3.5, tip, isHollow = false, shape = mark }: DotSpec,
): SvgNode {
  const { d, isStroke } = markerPath(((shape - 1) % 8) + 1, { x, y, size });
  const colour = colourOf(palette, mark);
  const paint =
    isHollow && !isStroke
      ? { fill: palette.surface, stroke: colour, strokeWidth: 1.5 }
      : isStroke
        ? { fill: 'none', stroke: colour, strokeWidth: 1.5 }
        : { fill: colour, stroke: palette.surface, strokeWidth: 0.5 };
  return el('path', { d, ...paint }, titled(tip));
}

/** Draws a value that a published study reports as a hollow diamond. */
export function published(palette: Palette, { x, y, tip }: { x: number; y: number; tip?: string }): SvgNode {
  const { d } = markerPath(4, { x, y, size: 3.9 });
  return el('path', { d, fill: palette.surface, stroke: palette.text, strokeWidth: 1.5 }, titled(tip));
}

export interface LineStyle {
  mark: number;
  width?: number;
  isDashed?: boolean;
}

/** Draws a line in a treatment's colour, with its dash by default; null breaks it. */
export function line(
  palette: Palette,
  style: number | LineStyle,
  points: readonly (Point | null)[],
): SvgNode {
  const {
    mark,
    width = 1.5,
    isDashed = true,
  }: LineStyle = typeof style === 'number' ? { mark: style } : style;
  return el('path', {
    d: pathThrough(points),
    fill: 'none',
    stroke: colourOf(palette, mark),
    strokeWidth: width,
    strokeDasharray: isDashed ? dashOf(mark) : undefined,
    strokeLinejoin: 'round',
  });
}

/**
 * Returns a step line through the points of a Pareto front, from left to right. A corner has the worse
 * coordinate of both neighbouring points. `isMoreBetter` means that a larger x is better.
 */
export function stairThrough(points: readonly Point[], isMoreBetter: boolean): string {
  return pathThrough(
    points.flatMap(([x, y], index): Point[] => {
      const before = points[index - 1];
      if (!before) return [[x, y]];
      return [isMoreBetter ? [before[0], y] : [x, before[1]], [x, y]];
    }),
  );
}

export interface Span {
  x: number;
  lo: number;
  hi: number;
}

/** Draws the area between two edges; null breaks it. */
export function shade(
  points: readonly (Span | null)[],
  paint: { fill: string; fillOpacity: number },
): SvgNode[] {
  const parts: Span[][] = [[]];
  for (const point of points) {
    if (point === null) parts.push([]);
    else parts.at(-1)?.push(point);
  }
  return parts
    .filter((part) => part.length > 1)
    .map((part) => {
      const there = part.map(({ x, hi }): Point => [x, hi]);
      const back = part.toReversed().map(({ x, lo }): Point => [x, lo]);
      return el('path', { d: `${pathThrough([...there, ...back])}Z`, ...paint });
    });
}

/** Draws the area between two edges in a treatment's colour; null breaks it. */
export function band(palette: Palette, mark: number, points: readonly (Span | null)[]): SvgNode[] {
  return shade(points, { fill: colourOf(palette, mark), fillOpacity: palette.bandOpacity });
}

interface ErrorBarSpec {
  /** Position across the values: x of a vertical bar, y of a horizontal one. */
  at: { x: number } | { y: number };
  lo: number;
  hi: number;
  /** Half the length of the ticks at the ends. */
  cap?: number;
  width?: number;
}

/** Draws an interval with a tick at either end. */
export function errorBar(stroke: string, { at, lo, hi, cap = 3.5, width = 1.25 }: ErrorBarSpec): SvgNode {
  const place = ([along, across]: Point): Point =>
    'x' in at ? [at.x + across, along] : [along, at.y + across];
  const parts: [Point, Point][] = [
    [
      [lo, 0],
      [hi, 0],
    ],
    ...[lo, hi].map((end): [Point, Point] => [
      [end, -cap],
      [end, cap],
    ]),
  ];
  const d = parts.map((ends) => pathThrough(ends.map(place))).join('');
  return el('path', { d, stroke, strokeWidth: width, fill: 'none' });
}

/** Shows only the part inside the area, using a nested SVG that clips its content. */
export function clipped({ left, top, right, bottom }: Area, nodes: readonly SvgNode[]): SvgNode {
  const [width, height] = [right - left, bottom - top];
  const viewBox = `${left} ${top} ${width} ${height}`;
  return el('svg', { x: left, y: top, width, height, viewBox }, nodes);
}

/** Distance between two lines of a hatching, in px. */
const hatchPx = 5;

/** Draws a hatched bar with a dashed outline, for an excluded value. */
export function hatched(area: Area, stroke: string): SvgNode[] {
  const { left, top, right, bottom } = area;
  const height = bottom - top;
  const starts = Array.from(
    { length: Math.ceil((right - left + height) / hatchPx) },
    (_, i) => left + i * hatchPx,
  );
  const lines = starts.map((x) =>
    pathThrough([
      [x, top],
      [x - height, bottom],
    ]),
  );
  return [
    clipped(area, [el('path', { d: lines.join(''), fill: 'none', stroke, strokeWidth: 1, opacity: 0.55 })]),
    el('rect', {
      x: left,
      y: top,
      width: right - left,
      height,
      fill: 'none',
      stroke,
      strokeWidth: 1.25,
      strokeDasharray: '3 2',
    }),
  ];
}

/** Opacity of a treatment while other treatments are selected. */
export const dimmedOpacity = 0.22;

/** Dims a treatment while other treatments are selected. */
export function faded(isDimmed: boolean | undefined, nodes: readonly SvgNode[]): SvgNode {
  return el('g', { opacity: isDimmed ? dimmedOpacity : undefined }, nodes);
}

/** Draws legend entries from left to right, wrapped to the width. */
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
      line(palette, mark, [
        [at, y],
        [at + 24, y],
      ]),
      dot(palette, mark, { x: at + 12, y }),
      label(text, { x: at + 30, y, fill: palette.text2 }),
    ];
  });
  return { nodes, height: y - top + 14 };
}

export interface BoxStatistics {
  p5: number;
  p25: number;
  p50: number;
  p75: number;
  p95: number;
  mean: number;
}

interface BoxPlace {
  mark: number;
  /** Centre of the box across the values, and half its width. */
  at: number;
  half: number;
  /** Pixel of a value. */
  scale(value: number): number;
  /** Whether values increase from left to right, instead of upwards. */
  isLevel?: boolean;
  /** Whether the box is hatched instead of filled, for excluded values. */
  isHatched?: boolean | undefined;
  /**
   * Position of the centre mark: a marker at the mean, or a cross at the median as in published box plots.
   */
  centre?: 'mean' | 'median';
  tip?: string;
}

/** Index of the cross among the markers. */
const cross = 6;

/** Draws whiskers from P5 to P95, a box from P25 to P75, a rule at the median and a marker. */
export function boxMark(palette: Palette, box: BoxStatistics, place: BoxPlace): SvgNode[] {
  const { mark, at, half, scale, isLevel = false, isHatched = false, centre = 'mean', tip } = place;
  const stroke = colourOf(palette, mark);
  const point = (along: number, across: number): Point =>
    isLevel ? [along, at + across] : [at + across, along];
  const [start, end] = [scale(box.p25), scale(box.p75)].sort((a, b) => a - b) as [number, number];
  const [left, top] = point(start, -half);
  const [right, bottom] = point(Math.max(end, start + 1), half);
  const frame = { left, top, right, bottom };
  const median = scale(box.p50);
  const [x, y] = point(centre === 'mean' ? scale(box.mean) : median, 0);
  return [
    errorBar(stroke, {
      at: isLevel ? { y: at } : { x: at },
      lo: scale(box.p5),
      hi: scale(box.p95),
      cap: half / 2,
    }),
    // Hides the whisker behind the box.
    bar(frame, { rx: 1.5, fill: palette.surface }),
    ...(isHatched
      ? hatched(frame, stroke)
      : [bar(frame, { rx: 1.5, fill: fillOf(palette, mark), stroke }, tip)]),
    rule({ from: point(median, -half), to: point(median, half), stroke, width: 2 }),
    dot(palette, mark, {
      x,
      y,
      size: centre === 'mean' ? 3.5 : 3,
      tip,
      ...(centre === 'mean' ? {} : { shape: cross }),
    }),
  ];
}
