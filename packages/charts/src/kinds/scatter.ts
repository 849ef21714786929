import { titleOf } from '@mqttlab/shared/analysis/phrase';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ReportPareto } from '@mqttlab/shared/domain/report/report';
import { formatInterval } from '@mqttlab/shared/format/interval';
import { formatNumber } from '@mqttlab/shared/format/number';
import { type Axis, canBeLog, linearAxis, logAxis } from '../drawing/axis.ts';
import { drawFigure, type Figure, type Plot } from '../drawing/figure.ts';
import { placeLabels } from '../drawing/labels.ts';
import { dot, label, rule, stairThrough } from '../drawing/marks.ts';
import { colourOf, type Palette } from '../drawing/palette.ts';
import { tickRoom } from '../drawing/panel.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import type { FigureContext, TreatmentIdentity } from '../drawing/treatments.ts';

interface Estimate {
  value: number;
  lo: number | null;
  hi: number | null;
}

export interface ScatterPoint {
  treatment: TreatmentIdentity;
  x: Estimate;
  y: Estimate;
  /** True if no other candidate is better in both metrics. */
  isFront: boolean;
  /**
   * Name of the point. By default, points on the front have the treatment's label and other points have none.
   */
  name?: string;
}

interface ScatterRun {
  mark: number;
  x: number;
  y: number;
  tip: string;
}

export interface ScatterData {
  label: string;
  xName: string;
  yName: string;
  units: readonly [x: string, y: string];
  points: readonly ScatterPoint[];
  /** Runs, drawn pale behind the points. The axes then include all runs, and cut longer intervals. */
  runs?: readonly ScatterRun[];
  scales: readonly [x: 'linear' | 'log', y: 'linear' | 'log'];
  /** True if a larger value on the x axis is better. */
  isMoreBetter: boolean;
  heightPx?: number;
}

/** Opacity of points behind the front. */
const paleOpacity = 0.5;

/** Describes two estimates per treatment with intervals, and the Pareto front. */
export function describeScatter(palette: Palette, data: ScatterData): Figure {
  const { label: name, xName, yName, units, points, runs = [], scales, isMoreBetter, heightPx = 400 } = data;
  const axisOf = (key: 'x' | 'y', scale: 'linear' | 'log') =>
    scatterAxis(
      points.map((point) => point[key]),
      runs.map((run) => run[key]),
      scale,
    );
  const [x, y] = [axisOf('x', scales[0]), axisOf('y', scales[1])];
  const pale = points.filter(({ isFront }) => !isFront);
  const front = points.filter(({ isFront }) => isFront).sort((a, b) => a.x.value - b.x.value);
  return {
    label: name,
    finding: frontInWords(front, points.length),
    heightPx,
    margins: { top: 24, right: 12, bottom: 38, left: tickRoom(y) },
    x,
    y,
    ground: {},
    hover: { axis: 'xy', px: 12 },
    tips: points.map((point) => ({
      x: point.x.value,
      y: point.y.value,
      tip: tipOf(point, data),
      pick: point.treatment.id,
    })),
    above: (plot) => [
      label(nameOf(yName, units[1], y), { x: 0, y: 8, fill: palette.text2 }),
      label(nameOf(xName, units[0], x), {
        x: plot.area.right,
        y: plot.area.bottom + 29,
        anchor: 'end',
        fill: palette.text2,
      }),
      ...runs.map((run) => drawRun(palette, plot, run)),
      ...pale.map((point) => el('g', { opacity: paleOpacity }, cross(palette, plot, { point, data }))),
      el('path', {
        d: stairThrough(
          front.map((point) => [plot.x(point.x.value), plot.y(point.y.value)]),
          isMoreBetter,
        ),
        fill: 'none',
        stroke: palette.text,
        strokeWidth: 2,
      }),
      ...front.flatMap((point) => cross(palette, plot, { point, data })),
      ...names(palette, plot, [...front, ...pale]),
    ],
  };
}

/** Returns "2 of 6 treatments on the Pareto front: Plain, TLS 1.3". */
function frontInWords(front: readonly ScatterPoint[], count: number): string {
  const names = front.map(({ treatment }) => treatment.label).join(', ');
  return `${front.length} of ${count} treatments on the Pareto front: ${names}`;
}

/** Returns "Median latency, ms (log)". */
function nameOf(name: string, unit: string, { isLog }: Axis): string {
  return `${name}, ${unit}${isLog ? ' (log)' : ''}`;
}

function scatterAxis(estimates: readonly Estimate[], runs: readonly number[], scale: 'linear' | 'log'): Axis {
  const all =
    runs.length > 0
      ? [...runs, ...estimates.map(({ value }) => value)]
      : estimates.flatMap(({ value, lo, hi }) => [value, lo ?? value, hi ?? value]);
  return scale === 'log' && canBeLog(all) ? logAxis(all) : linearAxis(all);
}

function tipOf({ treatment, x, y }: ScatterPoint, { xName, yName, units }: ScatterData): string[] {
  const text = (name: string, { value, lo, hi }: Estimate, unit: string) => {
    const { value: figure, interval } = formatInterval(
      lo === null || hi === null ? { value } : { value, lo, hi },
      { unitInHead: true },
    );
    return `${name} ${figure} ${unit} ${interval}`.trim();
  };
  return [treatment.label, text(xName, x, units[0]), text(yName, y, units[1])];
}

function drawRun(palette: Palette, plot: Plot, { mark, x, y, tip }: ScatterRun): SvgNode {
  const fill = colourOf(palette, mark);
  const place = { cx: plot.x(x), cy: plot.y(y), r: 2.2 };
  return el('circle', { ...place, fill, fillOpacity: 0.35 }, [el('title', {}, [tip])]);
}

/** Draws both intervals through the marker, cut at the edges of the panel. */
function cross(
  palette: Palette,
  { area, ...plot }: Plot,
  { point, data }: { point: ScatterPoint; data: ScatterData },
): SvgNode[] {
  const { treatment, x, y } = point;
  const stroke = colourOf(palette, treatment.index);
  const [atX, atY] = [plot.x(x.value), plot.y(y.value)];
  const across = ({ lo, hi }: Estimate) =>
    [lo, hi].flatMap((end) => (end === null ? [] : Math.min(area.right, Math.max(area.left, plot.x(end)))));
  const up = ({ lo, hi }: Estimate) =>
    [lo, hi].flatMap((end) => (end === null ? [] : Math.min(area.bottom, Math.max(area.top, plot.y(end)))));
  const [[left, right], [bottom, top]] = [across(x), up(y)];
  return [
    ...(left === undefined || right === undefined
      ? []
      : [rule({ from: [left, atY], to: [right, atY], stroke, width: 1.5 })]),
    ...(bottom === undefined || top === undefined
      ? []
      : [rule({ from: [atX, bottom], to: [atX, top], stroke, width: 1.5 })]),
    dot(palette, treatment.index, { x: atX, y: atY, size: 4.5, tip: tipOf(point, data).join('; ') }),
  ];
}

/** Draws the labels that cover no other mark. Other points show their name in the tooltip. */
function names(palette: Palette, plot: Plot, points: readonly ScatterPoint[]): SvgNode[] {
  const all = points.map(({ treatment, x, y, isFront, name = isFront ? treatment.label : '' }) => ({
    text: name,
    x: plot.x(x.value),
    y: plot.y(y.value),
    isStrong: isFront,
    across: x.lo === null || x.hi === null ? undefined : ([plot.x(x.lo), plot.x(x.hi)] as const),
  }));
  return placeLabels(all, plot.area)
    .filter(({ text }) => text !== '')
    .map(({ text, x, y, anchor, isStrong }) =>
      label(text, { x, y, anchor, fill: isStrong ? palette.text : palette.text3, halo: palette.surface }),
    );
}

/** Draws the runs (pale), the means (strong) and the front through the means. */
export function drawPareto(context: FigureContext, pareto: ReportPareto): Picture {
  const { palette, find, report, runName, colours } = context;
  const estimateOf = (metric: string, treatment: string, value: number): Estimate => {
    const response = report.responses.find((one) => one.metric === metric);
    const { lo = null, hi = null } = response?.estimates.find((one) => one.treatment === treatment) ?? {};
    return { value, lo, hi };
  };
  const figure = describeScatter(palette, {
    label: `${pareto.y.label} against ${pareto.x.label}`,
    xName: titleOf(pareto.x),
    yName: titleOf(pareto.y),
    units: [pareto.x.unit, pareto.y.unit],
    scales: ['linear', 'linear'],
    isMoreBetter: findMetric(pareto.x.metric)?.better === 'higher',
    heightPx: 362,
    points: pareto.points.map(({ treatment, x, y, rank }) => {
      const { mark: index, label: name, shortLabel, rowLabel } = find(treatment);
      return {
        treatment: { index, label: name, shortLabel },
        x: estimateOf(pareto.x.metric, treatment, x),
        y: estimateOf(pareto.y.metric, treatment, y),
        isFront: rank === 1,
        name: rowLabel || shortLabel,
      };
    }),
    runs: pareto.runs.map(({ treatment, runId, x, y }) => ({
      mark: find(treatment).mark,
      x,
      y,
      tip: `${find(treatment).label}, ${runName(runId)}: ${formatNumber(x)}, ${formatNumber(y)}`,
    })),
  });
  return drawFigure(figure, palette, { keys: colours });
}
