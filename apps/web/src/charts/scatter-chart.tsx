import { type Axis, canBeLog, linearAxis, logAxis } from '@mqttlab/charts/drawing/axis';
import type { Figure, Plot } from '@mqttlab/charts/drawing/figure';
import { placeLabels } from '@mqttlab/charts/drawing/labels';
import { label, line, marker, tickRoom } from '@mqttlab/charts/drawing/plot';
import { stairThrough } from '@mqttlab/charts/drawing/shapes';
import { el, type SvgNode } from '@mqttlab/charts/drawing/svg';
import { formatInterval } from '@mqttlab/shared/format/interval';
import type { ReactElement } from 'react';
import type { TreatmentIdentity } from '../ui/treatment-mark.tsx';
import { type ChartTheme, treatmentPaint } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useFigure } from './canvas/use-figure.ts';

type ScatterValue = { value: number; lo: number | null; hi: number | null };

export type ScatterPoint = {
  treatment: TreatmentIdentity;
  x: ScatterValue;
  y: ScatterValue;
  /** No other of those that may be on it is better in both. */
  isFront: boolean;
};

export type ScatterChartProps = {
  label: string;
  xName: string;
  yName: string;
  units: readonly [x: string, y: string];
  points: readonly ScatterPoint[];
  scale: 'linear' | 'log';
  /** A larger value on the x axis is better. */
  isMoreBetter: boolean;
  heightPx?: number;
};

/** Behind the front. */
const paleOpacity = 0.5;

/** Two estimates of each treatment with their intervals, and the front through those that none beats in both. */
export function ScatterChart(props: ScatterChartProps): ReactElement {
  return <FigureChart figure={useFigure(describeScatter, props)} />;
}

export function describeScatter(theme: ChartTheme, props: ScatterChartProps): Figure {
  const { label: name, xName, yName, units, points, scale, isMoreBetter, heightPx = 400 } = props;
  const [x, y] = [
    axisOf(
      points.map((one) => one.x),
      scale,
    ),
    axisOf(
      points.map((one) => one.y),
      scale,
    ),
  ];
  const pale = points.filter(({ isFront }) => !isFront);
  const front = points.filter(({ isFront }) => isFront).sort((a, b) => a.x.value - b.x.value);
  return {
    label: name,
    heightPx,
    margins: { top: 24, right: 12, bottom: 38, left: tickRoom(y) },
    x,
    y,
    ground: {},
    hover: { axis: 'xy', px: 12 },
    tips: points.map(({ treatment, ...point }) => ({
      x: point.x.value,
      y: point.y.value,
      tip: [treatment.label, textOf(xName, point.x, units[0]), textOf(yName, point.y, units[1])],
      pick: treatment.id,
    })),
    above: (plot) => [
      label(`${yName}, ${units[1]}`, { x: 0, y: 8, fill: theme.text2 }),
      label(`${xName}, ${units[0]}`, {
        x: plot.area.right,
        y: plot.area.bottom + 29,
        anchor: 'end',
        fill: theme.text2,
      }),
      ...pale.map((point) => el('g', { opacity: paleOpacity }, cross(theme, plot, point))),
      el('path', {
        d: stairThrough(
          front.map((point) => [plot.x(point.x.value), plot.y(point.y.value)]),
          isMoreBetter,
        ),
        fill: 'none',
        stroke: theme.text,
        strokeWidth: 2,
      }),
      ...front.flatMap((point) => cross(theme, plot, point)),
      ...names(theme, plot, [...front, ...pale]),
    ],
  };
}

function axisOf(values: readonly ScatterValue[], scale: 'linear' | 'log'): Axis {
  const all = values.flatMap(({ value, lo, hi }) => [value, lo ?? value, hi ?? value]);
  return scale === 'log' && canBeLog(all) ? logAxis(all) : linearAxis(all);
}

function textOf(name: string, { value, lo, hi }: ScatterValue, unit: string): string {
  const text = formatInterval(lo === null || hi === null ? { value } : { value, lo, hi }, {
    unitInHead: true,
  });
  return `${name} ${text.value} ${unit} ${text.interval}`.trim();
}

/** Both intervals through the marker. */
function cross(theme: ChartTheme, plot: Plot, { treatment, x, y }: ScatterPoint): SvgNode[] {
  const { stroke } = treatmentPaint(theme, treatment.index);
  const [atX, atY] = [plot.x(x.value), plot.y(y.value)];
  return [
    ...(x.lo === null || x.hi === null
      ? []
      : [line({ from: [plot.x(x.lo), atY], to: [plot.x(x.hi), atY], stroke, width: 1.5 })]),
    ...(y.lo === null || y.hi === null
      ? []
      : [line({ from: [atX, plot.y(y.lo)], to: [atX, plot.y(y.hi)], stroke, width: 1.5 })]),
    marker(theme, treatment.index, { x: atX, y: atY, size: 4.5 }),
  ];
}

/** Those on the front by name, where they cover nothing; every point tells its name to the pointer. */
function names(theme: ChartTheme, plot: Plot, points: readonly ScatterPoint[]): SvgNode[] {
  const all = points.map(({ treatment, x, y, isFront }) => ({
    text: isFront ? treatment.label : '',
    x: plot.x(x.value),
    y: plot.y(y.value),
    isStrong: isFront,
    across: x.lo === null || x.hi === null ? undefined : ([plot.x(x.lo), plot.x(x.hi)] as const),
  }));
  return placeLabels(all, plot.area)
    .filter(({ text }) => text !== '')
    .map(({ text, ...at }) => label(text, { ...at, fill: theme.text, halo: theme.surface }));
}
