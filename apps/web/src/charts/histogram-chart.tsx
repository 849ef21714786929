import { cropAxis, linearAxis, logAxis } from '@mqttlab/charts/drawing/axis';
import type { Figure, Plot } from '@mqttlab/charts/drawing/figure';
import { spreadLabels } from '@mqttlab/charts/drawing/labels';
import { label, line } from '@mqttlab/charts/drawing/plot';
import { pathThrough } from '@mqttlab/charts/drawing/shapes';
import { el, type SvgNode } from '@mqttlab/charts/drawing/svg';
import { formatCount, formatNumber } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { type ChartTheme, treatmentPaint } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useFigure } from './canvas/use-figure.ts';
import {
  displayBins,
  type HistogramBin,
  type HistogramScale,
  histogramRange,
  type Quantile,
} from './datasets/histogram-data.ts';

export type HistogramChartProps = {
  label: string;
  /** Of the bins' bounds: "ms". */
  unit: string;
  /** Colours the bars. */
  treatmentIndex: number;
  bins: readonly HistogramBin[];
  /** Drawn as lines with their names; leave out those the run has too few messages for. */
  quantiles: readonly Quantile[];
  /** The largest value; marked, also when it lies beyond the axis. */
  maximum?: number;
  /** A step line to compare with: the mean of all runs, with counts scaled to this run. */
  reference?: { name: string; bins: readonly HistogramBin[] };
  scale?: HistogramScale;
  /** What is counted, and what lies on the axis: "messages" by "latency". */
  noun?: string;
  quantity?: string;
  heightPx?: number;
};

const binCount = 46;
const headPx = 44;

/** Latency of single messages, with its quantiles. */
export function HistogramChart(props: HistogramChartProps): ReactElement {
  return <FigureChart figure={useFigure(describeHistogram, props)} />;
}

function describeHistogram(theme: ChartTheme, props: HistogramChartProps): Figure {
  const { label: name, unit, treatmentIndex, bins, quantiles, maximum, reference } = props;
  const { scale = 'linear', noun = 'messages', quantity = 'latency', heightPx = 260 } = props;
  const range = histogramRange({ bins, quantiles, scale });
  const ends = { min: range.from, max: range.to };
  const isLog = scale === 'log';
  const x = cropAxis(
    isLog ? logAxis([range.from, range.to]) : linearAxis([range.from, range.to], { steps: 6 }),
    ends,
  );
  const bars = displayBins(bins, range, binCount);
  const steps = reference ? displayBins(reference.bins, range, binCount) : [];
  const highest = Math.max(1, ...bars.map((bin) => bin.count), ...steps.map((bin) => bin.count));
  const [first] = bars;
  const per = first && !isLog ? `${formatNumber(first.hi - first.lo, 2)} ${unit}` : 'log bin';
  const heads = [noun, `per ${per}`];
  const headEnd = Math.max(...heads.map((text) => theme.widthOf(text)));
  return {
    label: name,
    heightPx,
    margins: { top: headPx, bottom: 36, left: 40, right: 6 },
    x,
    y: { ...linearAxis([0, highest], { steps: 4 }), format: formatCount },
    ground: {},
    hover: { axis: 'x', px: 10 },
    tips: bars.map(({ lo, hi, count }) => ({
      x: isLog ? Math.sqrt(lo * hi) : (lo + hi) / 2,
      y: count,
      tip: [`${formatNumber(lo)} to ${formatNumber(hi)} ${unit}`, `${formatCount(count)} ${noun}`],
    })),
    above: (plot) => [
      ...heads.map((text, i) => label(text, { x: 0, y: 8 + i * 14, fill: theme.text2 })),
      ...drawBins(plot, bars, treatmentPaint(theme, treatmentIndex).solid),
      el('path', {
        d: pathThrough(
          steps.flatMap(({ lo, hi, count }) => [lo, hi].map((at) => [plot.x(at), plot.y(count)] as const)),
        ),
        fill: 'none',
        stroke: theme.text2,
      }),
      label(`${quantity}, ${unit}${isLog ? ', logarithmic' : ''}`, {
        x: plot.area.right,
        y: plot.area.bottom + 28,
        anchor: 'end',
        fill: theme.text2,
      }),
      ...drawQuantiles(theme, plot, { quantiles, from: headEnd + 14 }),
      ...(reference && steps.length > 0 ? drawReferenceKey(theme, plot, reference.name) : []),
      ...(maximum === undefined ? [] : drawMaximum(theme, plot, maximum)),
    ],
  };
}

function drawBins({ x, y }: Plot, bars: readonly HistogramBin[], fill: string): SvgNode[] {
  return bars
    .filter(({ count }) => count > 0)
    .map(({ lo, hi, count }) => {
      const height = Math.max(1, y(0) - y(count));
      const width = Math.max(1, x(hi) - x(lo) - 1);
      return el('rect', { x: x(lo) + 0.5, y: y(0) - height, width, height, fill });
    });
}

function drawQuantiles(
  theme: ChartTheme,
  { x, area }: Plot,
  { quantiles, from }: { quantiles: readonly Quantile[]; from: number },
): SvgNode[] {
  const { left, right, top, bottom } = area;
  const halo = theme.surface;
  const places = spreadLabels(
    quantiles.map(({ value }) => x(value) + 5),
    { gap: 34, min: Math.max(left + 4, from), max: right - 26 },
  );
  return quantiles.flatMap(({ name, value }, i) => {
    const at = x(value);
    const labelX = places[i] ?? at;
    return [
      line({ from: [at, top - 12], to: [at, bottom], stroke: theme.text }),
      line({ from: [labelX - 5, 2], to: [at, top - 12], stroke: theme.text }),
      label(name, { x: labelX, y: 8, fill: theme.text2, halo }),
      label(formatNumber(value), { x: labelX, y: 22, weight: 600, fill: theme.text, halo }),
    ];
  });
}

function drawReferenceKey(
  theme: ChartTheme,
  { area: { right, top, bottom } }: Plot,
  text: string,
): SvgNode[] {
  const y = (top + bottom) / 2;
  const end = right - theme.widthOf(text);
  return [
    label(text, { x: right, y, anchor: 'end', fill: theme.text2, halo: theme.surface }),
    line({ from: [end - 20, y], to: [end - 6, y], stroke: theme.text2 }),
  ];
}

function drawMaximum(theme: ChartTheme, { x, area: { right, bottom } }: Plot, maximum: number): SvgNode[] {
  const at = x(maximum);
  const isBeyond = at > right;
  const text = `max ${formatNumber(maximum)}${isBeyond ? ', beyond the axis' : ''}`;
  const place = isBeyond
    ? { x: right, anchor: 'end' as const }
    : { x: Math.min(at, right - 24), anchor: 'middle' as const };
  return [
    label(text, { ...place, y: bottom - 16, fill: theme.text2, halo: theme.surface }),
    ...(isBeyond ? [] : [line({ from: [at, bottom - 9], to: [at, bottom - 1], stroke: theme.text2 })]),
  ];
}
