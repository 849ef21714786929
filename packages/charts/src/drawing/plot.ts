import { type Axis, scaleOf } from './axis.ts';
import { markerPath } from './marker-path.ts';
import { colourOf, dashOf, type Palette } from './palette.ts';
import { type Area, type Point, pathThrough, type Span, shade } from './shapes.ts';
import { el, type SvgNode } from './svg.ts';
import { textWidth } from './text-width.ts';

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
  /** Written after the last x tick: "30 s". */
  xUnit?: string;
  /** Upright lines at the x ticks. */
  xGrid?: boolean;
  /** Leaves the tick labels of an axis to its neighbour. */
  hidesX?: boolean;
  hidesY?: boolean;
}

/** Axes, grid and names of a panel; what is drawn on it comes after its ground. */
export function makePanel(spec: PanelSpec): Panel {
  const { palette, area, x: xAxis, y: yAxis } = spec;
  const x = scaleOf(xAxis, area.left, area.right);
  const y = scaleOf(yAxis, area.bottom, area.top);
  const gridOf = (tick: number) => (tick === 0 ? palette.axis : palette.grid);
  const ground: SvgNode[] = yAxis.ticks.flatMap((tick) => [
    line({ from: [area.left, y(tick)], to: [area.right, y(tick)], stroke: gridOf(tick) }),
    ...(spec.hidesY
      ? []
      : [label(yAxis.format(tick), { x: area.left - 6, y: y(tick), anchor: 'end', fill: palette.text3 })]),
  ]);
  for (const tick of spec.xGrid ? xAxis.ticks : []) {
    ground.push(line({ from: [x(tick), area.top], to: [x(tick), area.bottom], stroke: gridOf(tick) }));
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

/** Room for the names of the ticks left of a panel. */
export function tickRoom({ ticks, format }: Axis): number {
  return Math.ceil(Math.max(0, ...ticks.map((tick) => textWidth(format(tick))))) + 10;
}

/** Between the names of neighbouring ticks. */
const tickGap = 6;

/** Every k-th tick, counted from the last, so that no more than `room` are left. */
export function thinTicks(ticks: readonly number[], room: number): number[] {
  const every = Math.max(1, Math.ceil(ticks.length / Math.max(2, room)));
  return ticks.filter((_, i) => (ticks.length - 1 - i) % every === 0);
}

function xTicks({ palette, area, x: axis, xUnit, xGrid }: PanelSpec, x: Panel['x']): SvgNode[] {
  const last = axis.ticks.at(-1);
  const halves = new Map(axis.ticks.map((tick) => [tick, (textWidth(axis.format(tick)) / 2) * 1.1]));
  const widest = 2 * Math.max(0, ...halves.values()) + tickGap;
  let free = Number.POSITIVE_INFINITY;
  return thinTicks(axis.ticks, Math.floor((area.right - area.left) / widest) + 1)
    .toReversed()
    .flatMap((tick) => {
      const text = `${axis.format(tick)}${xUnit && tick === last ? ` ${xUnit}` : ''}`;
      const half = tick === last ? (textWidth(text) / 2) * 1.1 : (halves.get(tick) ?? 0);
      const at = x(tick);
      // Names at the ends stay inside, so that those of neighbouring panels do not meet.
      const centre = Math.min(Math.max(at, area.left + half), area.right - half);
      if (centre + half > free) return [];
      free = centre - half - tickGap;
      return [
        ...(xGrid
          ? []
          : [line({ from: [at, area.bottom], to: [at, area.bottom + 3], stroke: palette.axis })]),
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

export interface MarkerSpec {
  x: number;
  y: number;
  size?: number;
  tip?: string | undefined;
  /** Its rim only: what it stands for does not count, or is not clear. */
  isHollow?: boolean;
  /** Index of another treatment whose shape it has. */
  shape?: number;
}

/** A treatment's marker, filled with its colour; `tip` is shown on hovering. */
export function marker(
  palette: Palette,
  mark: number,
  { x, y, size = 3.5, tip, isHollow = false, shape = mark }: MarkerSpec,
): SvgNode {
  const { d, isStroke } = markerPath(((shape - 1) % 8) + 1, { x, y, size });
  const colour = colourOf(palette, mark);
  const paint =
    isHollow && !isStroke
      ? { fill: palette.surface, stroke: colour, strokeWidth: 1.5 }
      : isStroke
        ? { fill: 'none', stroke: colour, strokeWidth: 1.5 }
        : { fill: colour, stroke: palette.surface, strokeWidth: 0.5 };
  return el('path', { d, ...paint }, tip ? [el('title', {}, [tip])] : []);
}

export interface CurveLook {
  mark: number;
  width?: number;
  isDashed?: boolean;
}

/** A curve in a treatment's colour, with its dash unless told otherwise; null breaks it. */
export function curve(
  palette: Palette,
  look: number | CurveLook,
  points: readonly (Point | null)[],
): SvgNode {
  const { mark, width = 1.5, isDashed = true }: CurveLook = typeof look === 'number' ? { mark: look } : look;
  return el('path', {
    d: pathThrough(points),
    fill: 'none',
    stroke: colourOf(palette, mark),
    strokeWidth: width,
    strokeDasharray: isDashed ? dashOf(mark) : undefined,
    strokeLinejoin: 'round',
  });
}

/** A band between two edges, in a treatment's colour; null breaks it. */
export function band(palette: Palette, mark: number, points: readonly (Span | null)[]): SvgNode[] {
  return shade(points, { fill: colourOf(palette, mark), fillOpacity: palette.bandOpacity });
}

interface ErrorBarEnds {
  lo: number;
  hi: number;
  cap?: number;
  width?: number;
}

/** An error bar with caps, upright. */
export function errorBar(
  stroke: string,
  { x, lo, hi, cap = 3.5, width }: ErrorBarEnds & { x: number },
): SvgNode {
  const caps = [lo, hi].map((end) =>
    pathThrough([
      [x - cap, end],
      [x + cap, end],
    ]),
  );
  return bars(
    stroke,
    [
      pathThrough([
        [x, lo],
        [x, hi],
      ]),
      ...caps,
    ],
    width,
  );
}

/** An error bar with caps, lying. */
export function errorBarAcross(
  stroke: string,
  { y, lo, hi, cap = 3.5, width }: ErrorBarEnds & { y: number },
): SvgNode {
  const caps = [lo, hi].map((end) =>
    pathThrough([
      [end, y - cap],
      [end, y + cap],
    ]),
  );
  return bars(
    stroke,
    [
      pathThrough([
        [lo, y],
        [hi, y],
      ]),
      ...caps,
    ],
    width,
  );
}

function bars(stroke: string, parts: readonly string[], strokeWidth = 1.25): SvgNode {
  return el('path', { d: parts.join(''), stroke, strokeWidth, fill: 'none' });
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
