import { type Axis, linearAxis } from '@mqttlab/charts/drawing/axis';
import type { Figure } from '@mqttlab/charts/drawing/figure';
import { spreadLabels } from '@mqttlab/charts/drawing/labels';
import { label, marker } from '@mqttlab/charts/drawing/plot';
import { formatNumber } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import type { TreatmentIdentity } from '../ui/treatment-mark.tsx';
import { type ChartTheme, widest } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useFigure } from './canvas/use-figure.ts';

export type PercentileCurveProps = {
  label: string;
  unit: string;
  series: readonly PercentileSeries[];
  heightPx?: number;
};

/** Value by percentile, each nine the same room, so that the tail can be read. */
export function PercentileCurve(props: PercentileCurveProps): ReactElement {
  return <FigureChart figure={useFigure(describePercentiles, props)} />;
}

function describePercentiles(theme: ChartTheme, props: PercentileCurveProps): Figure {
  const { label: name, unit, series, heightPx = 260 } = props;
  return {
    label: name,
    heightPx,
    margins: {
      top: 8,
      bottom: 22,
      left: 34,
      right: widest(series.map(({ treatment }) => theme.widthOf(treatment.shortLabel, 500))) + 16,
    },
    x: percentileAxis(series),
    y: linearAxis(
      series.flatMap(({ points }) => points.map(({ value }) => value)),
      { zero: true },
    ),
    ground: { xGrid: true },
    hover: { axis: 'x', px: 8 },
    lines: series.map(({ treatment, points }) => ({
      mark: treatment.index,
      points: points.map(({ percentile, value }) => ({
        x: percentilePosition(percentile),
        y: value,
        tip: [`P${percentile}`, `${treatment.shortLabel}: ${formatNumber(value)} ${unit}`],
      })),
    })),
    above: ({ x, y, area }) => {
      const ends = series.flatMap(({ treatment, points }) => {
        const last = points.at(-1);
        return last ? [{ treatment, x: x(percentilePosition(last.percentile)), y: y(last.value) }] : [];
      });
      const places = spreadLabels(
        ends.map((end) => end.y),
        { gap: 14, min: area.top, max: area.bottom - 4 },
      );
      return ends.flatMap(({ treatment, ...end }, i) => [
        marker(theme, treatment.index, end),
        label(treatment.shortLabel, { x: end.x + 10, y: places[i] ?? end.y, weight: 500, fill: theme.text }),
      ]);
    },
  };
}

function percentileAxis(series: readonly PercentileSeries[]): Axis {
  const names = new Map(percentileTicks(series).map((tick) => [percentilePosition(tick), `P${tick}`]));
  const ticks = [...names.keys()];
  return {
    min: 0,
    max: ticks.at(-1) ?? 1,
    ticks,
    isLog: false,
    format: (position) => names.get(position) ?? '',
  };
}

/** A quantile of one treatment: percentile 99 is the value that 99 % of messages stay below. */
export type PercentilePoint = { percentile: number; value: number };

export type PercentileSeries = { treatment: TreatmentIdentity; points: readonly PercentilePoint[] };

/** Each nine takes the same room: P90, P99 and P99.9 lie one apart, P0 at zero. */
export function percentilePosition(percentile: number): number {
  const below = Math.min(99.999999, Math.max(0, percentile)) / 100;
  return -Math.log10(1 - below);
}

/** Ticks up to the highest percentile that any series has. */
export function percentileTicks(series: readonly PercentileSeries[]): number[] {
  const highest = Math.max(50, ...series.flatMap((one) => one.points.map((point) => point.percentile)));
  return [0, 50, 75, 90, 95, 99, 99.9, 99.99].filter((tick) => tick <= highest);
}
