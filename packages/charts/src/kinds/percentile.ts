import { formatNumber } from '@mqttlab/shared/format/number';
import { type Axis, linearAxis } from '../drawing/axis.ts';
import type { Figure } from '../drawing/figure.ts';
import { spreadLabels } from '../drawing/labels.ts';
import { dot, label } from '../drawing/marks.ts';
import type { Palette } from '../drawing/palette.ts';
import { textWidth, widest } from '../drawing/text-width.ts';
import type { TreatmentIdentity } from '../drawing/treatments.ts';

/** A quantile of one treatment: 99 % of the messages are below percentile 99. */
export interface PercentilePoint {
  percentile: number;
  value: number;
}

export interface PercentileSeries {
  treatment: TreatmentIdentity;
  points: readonly PercentilePoint[];
}

export interface PercentileData {
  label: string;
  unit: string;
  series: readonly PercentileSeries[];
  heightPx?: number;
}

/**
 * Describes values by percentile. Every additional nine takes the same space, so that the tail is readable.
 */
export function describePercentiles(palette: Palette, data: PercentileData): Figure {
  const { label: name, unit, series, heightPx = 260 } = data;
  return {
    label: name,
    heightPx,
    margins: {
      top: 8,
      bottom: 22,
      left: 34,
      right: widest(series.map(({ treatment }) => textWidth(treatment.shortLabel, { weight: 500 }))) + 16,
    },
    x: percentileAxis(series.flatMap(({ points }) => points.map(({ percentile }) => percentile)).concat(0)),
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
        dot(palette, treatment.index, end),
        label(treatment.shortLabel, {
          x: end.x + 10,
          y: places[i] ?? end.y,
          weight: 500,
          fill: palette.text,
        }),
      ]);
    },
  };
}

/** Returns an axis from the lowest to the highest of the percentiles. */
export function percentileAxis(percentiles: readonly number[]): Axis {
  const names = new Map(percentileTicks(percentiles).map((tick) => [percentilePosition(tick), `P${tick}`]));
  const positions = percentiles.map(percentilePosition);
  return {
    min: Math.min(...positions),
    max: Math.max(percentilePosition(50), ...positions),
    ticks: [...names.keys()],
    isLog: false,
    format: (position) => names.get(position) ?? '',
  };
}

/**
 * Returns the position of a percentile on an axis on which every nine takes the same space: P90, P99 and
 * P99.9 are at distances of 1, and P0 is at 0.
 */
export function percentilePosition(percentile: number): number {
  const below = Math.min(99.999999, Math.max(0, percentile)) / 100;
  return -Math.log10(1 - below);
}

/** Returns the ticks between the lowest and the highest of the percentiles. */
export function percentileTicks(percentiles: readonly number[]): number[] {
  const [lowest, highest] = [Math.min(...percentiles), Math.max(50, ...percentiles)];
  return [0, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999].filter((tick) => tick >= lowest && tick <= highest);
}
