import { formatCount, formatNumber } from '@mqttlab/shared/format/number';
import type { ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { baseOptions, hiddenScale, linearScale, type TipPoint } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import { drawHistogram } from './canvas/draw-histogram.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import {
  displayBins,
  type HistogramBin,
  type HistogramScale,
  histogramRange,
  type Quantile,
} from './datasets/histogram-data.ts';
import { niceAxis } from './datasets/nice-axis.ts';

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

const BINS = 46;
const HEAD_PX = 44;
const AXIS_PX = 22;

/** Latency of single messages, with its quantiles. */
export function HistogramChart(props: HistogramChartProps): ReactElement {
  const {
    label,
    unit,
    treatmentIndex,
    bins,
    quantiles,
    maximum,
    reference,
    scale = 'linear',
    noun = 'messages',
    quantity = 'latency',
    heightPx = 260,
  } = props;
  const theme = useChartTheme();
  const shown = useMemo(() => {
    const range = histogramRange({ bins, quantiles, scale });
    const bars = displayBins(bins, range, BINS);
    const steps = reference ? displayBins(reference.bins, range, BINS) : [];
    const highest = Math.max(1, ...bars.map((bin) => bin.count), ...steps.map((bin) => bin.count));
    return { range, bars, steps, counts: niceAxis({ min: 0, max: highest, steps: 4 }) };
  }, [bins, quantiles, scale, reference]);

  const config = useMemo<ChartConfiguration<'scatter'>>(() => {
    const { range, bars, counts } = shown;
    const place = (value: number) => (range.scale === 'log' ? Math.log(value) : value);
    const data = bars.map((bin): TipPoint => {
      const span = `${formatNumber(bin.lo)} to ${formatNumber(bin.hi)} ${unit}`;
      return {
        x: (place(bin.lo) + place(bin.hi)) / 2,
        y: bin.count,
        tip: [span, `${formatCount(bin.count)} ${noun}`],
      };
    });
    return {
      type: 'scatter',
      data: { datasets: [{ data, pointRadius: 0, pointHoverRadius: 0, pointHitRadius: 10 }] },
      options: baseOptions(
        theme,
        { top: HEAD_PX, bottom: AXIS_PX + 14, left: 0, right: 6, hover: 'x' },
        {
          x: hiddenScale(place(range.from), place(range.to)),
          y: linearScale(theme, { axis: counts, position: 'left', sizePx: 40, format: formatCount }),
        },
      ),
    };
  }, [shown, unit, noun, theme]);

  const layers = useMemo<ChartLayers>(
    () => ({
      over: (ctx, chart) =>
        drawHistogram(ctx, theme, {
          chart,
          treatmentIndex,
          unit,
          noun,
          quantity,
          quantiles,
          ...shown,
          ...(maximum === undefined ? {} : { maximum }),
          ...(reference ? { referenceName: reference.name } : {}),
        }),
    }),
    [shown, theme, treatmentIndex, unit, noun, quantity, quantiles, maximum, reference],
  );
  return <CanvasChart config={config} layers={layers} label={label} heightPx={heightPx} />;
}
