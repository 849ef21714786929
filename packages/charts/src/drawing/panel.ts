import { type Axis, scaleOf } from './axis.ts';
import { type Area, label, rule } from './marks.ts';
import type { Palette } from './palette.ts';
import type { SvgNode } from './svg.ts';
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
  /** Labels under the x axis and above the y axis, and a title that names the panel. */
  xLabel?: string;
  yLabel?: string;
  title?: string;
  /** Written after the last x tick: "30 s". */
  xUnit?: string;
  /** Vertical grid lines at the x ticks. */
  xGrid?: boolean;
  /** Hides the tick labels of an axis, which a neighbouring panel shows. */
  hidesX?: boolean;
  hidesY?: boolean;
}

/** Makes the axes, grid and names of a panel. Marks are drawn after its ground. */
export function makePanel(spec: PanelSpec): Panel {
  const { palette, area, x: xAxis, y: yAxis } = spec;
  const x = scaleOf(xAxis, area.left, area.right);
  const y = scaleOf(yAxis, area.bottom, area.top);
  const gridOf = (tick: number) => (tick === 0 ? palette.axis : palette.grid);
  const ground: SvgNode[] = yAxis.ticks.flatMap((tick) => [
    rule({ from: [area.left, y(tick)], to: [area.right, y(tick)], stroke: gridOf(tick) }),
    ...(spec.hidesY
      ? []
      : [label(yAxis.format(tick), { x: area.left - 6, y: y(tick), anchor: 'end', fill: palette.text3 })]),
  ]);
  for (const tick of spec.xGrid ? xAxis.ticks : []) {
    ground.push(rule({ from: [x(tick), area.top], to: [x(tick), area.bottom], stroke: gridOf(tick) }));
  }
  ground.push(rule({ from: [area.left, area.bottom], to: [area.right, area.bottom], stroke: palette.axis }));
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

/** Returns the space for the tick labels on the left of a panel. */
export function tickRoom({ ticks, format }: Axis): number {
  return Math.ceil(Math.max(0, ...ticks.map((tick) => textWidth(format(tick))))) + 10;
}

/** Gap between the labels of neighbouring ticks. */
const tickGap = 6;

/** Returns every k-th tick, counted from the last, so that at most `room` ticks remain. */
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
      // Labels at the ends stay inside the panel, so that neighbouring panels do not touch.
      const centre = Math.min(Math.max(at, area.left + half), area.right - half);
      if (centre + half > free) return [];
      free = centre - half - tickGap;
      return [
        ...(xGrid
          ? []
          : [rule({ from: [at, area.bottom], to: [at, area.bottom + 3], stroke: palette.axis })]),
        label(text, { x: centre, y: area.bottom + 13, anchor: 'middle', fill: palette.text3 }),
      ];
    });
}
