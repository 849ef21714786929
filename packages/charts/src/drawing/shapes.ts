import { markerPath } from './marker-path.ts';
import type { Palette } from './palette.ts';
import { el, type SvgNode } from './svg.ts';

/** Where one panel of a drawing lies, in pixels. */
export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type Point = readonly [number, number];

/** Points joined by straight lines; null breaks them. */
export function pathThrough(points: readonly (Point | null)[]): string {
  return points
    .map((point, i) => (point ? `${points[i - 1] ? 'L' : 'M'}${fixed(point[0])} ${fixed(point[1])}` : ''))
    .join('');
}

/**
 * Steps through the points of a Pareto front, from left to right. Between two of them lies the corner that is as bad as
 * the worse of both in each direction; `isMoreBetter`: a larger x is better.
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

/** What lies between two edges; null breaks it. */
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

/** What a published study found: a hollow diamond. */
export function published(palette: Palette, x: number, y: number): SvgNode {
  const { d } = markerPath(4, { x, y, size: 3.9 });
  return el('path', { d, fill: palette.surface, stroke: palette.text, strokeWidth: 1.5 });
}

/** Only what lies inside the area: an SVG inside an SVG shows no more. */
export function clipped({ left, top, right, bottom }: Area, nodes: readonly SvgNode[]): SvgNode {
  const [width, height] = [right - left, bottom - top];
  const viewBox = `${left} ${top} ${width} ${height}`;
  return el('svg', { x: left, y: top, width, height, viewBox }, nodes);
}

/** Distance of two lines of a hatching. */
const hatchPx = 5;

/** A hatched box with a dashed rim: what does not count. */
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

/** Steps back where others were chosen to stand out. */
export function faded(isDimmed: boolean | undefined, nodes: readonly SvgNode[]): SvgNode {
  return el('g', { opacity: isDimmed ? dimmedOpacity : undefined }, nodes);
}

/** Opacity of a treatment that others were chosen over. */
export const dimmedOpacity = 0.22;

function fixed(value: number): number {
  return Math.round(value * 100) / 100;
}
