import { formatNumber } from '@mqttlab/shared/format/number';
import type { ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { treatmentDash } from '../ui/treatment-mark.tsx';
import { baseOptions, linearScale, type TipPoint } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import { treatmentPaint } from './canvas/chart-theme.ts';
import { drawMarker, drawText } from './canvas/draw.ts';
import { makeMeasureText } from './canvas/measure-text.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import { niceAxis } from './datasets/nice-axis.ts';
import { type PercentileSeries, percentilePosition, percentileTicks } from './datasets/percentile-data.ts';
import { spreadLabels } from './datasets/spread-labels.ts';

export type PercentileCurveProps = {
  label: string;
  unit: string;
  series: readonly PercentileSeries[];
  heightPx?: number;
};

/** Value by percentile, each nine the same room, so that the tail can be read. */
export function PercentileCurve({ label, unit, series, heightPx = 260 }: PercentileCurveProps): ReactElement {
  const theme = useChartTheme();
  const right = useMemo(() => {
    const measure = makeMeasureText(theme);
    return Math.ceil(Math.max(0, ...series.map((one) => measure(one.treatment.shortLabel, 500)))) + 16;
  }, [series, theme]);

  const config = useMemo<ChartConfiguration<'scatter'>>(() => {
    const ticks = percentileTicks(series);
    const highest = Math.max(0, ...series.flatMap((one) => one.points.map((point) => point.value)));
    const y = niceAxis({ min: 0, max: highest, steps: 5 });
    const positions = ticks.map(percentilePosition);
    const names = new Map(ticks.map((tick) => [percentilePosition(tick), `P${tick}`]));
    return {
      type: 'scatter',
      data: {
        datasets: series.map((one) => {
          const { stroke } = treatmentPaint(theme, one.treatment.index);
          return {
            data: one.points.map(
              (point): TipPoint => ({
                x: percentilePosition(point.percentile),
                y: point.value,
                tip: [
                  `P${point.percentile}`,
                  `${one.treatment.shortLabel}: ${formatNumber(point.value)} ${unit}`,
                ],
              }),
            ),
            showLine: true,
            borderColor: stroke,
            borderWidth: 1.5,
            borderDash: [...treatmentDash(one.treatment.index)],
            pointRadius: 0,
            pointHoverRadius: 3,
            pointHitRadius: 8,
            pointBackgroundColor: stroke,
          };
        }),
      },
      options: baseOptions(
        theme,
        { top: 8, bottom: 0, left: 0, right, hover: 'x' },
        {
          x: linearScale(theme, {
            axis: { min: 0, max: positions.at(-1) ?? 1, step: 1, ticks: positions, decimals: 0 },
            position: 'bottom',
            sizePx: 22,
            format: (value) => names.get(value) ?? '',
          }),
          y: linearScale(theme, { axis: y, position: 'left', sizePx: 34 }),
        },
      ),
    };
  }, [series, unit, theme, right]);

  const layers = useMemo<ChartLayers>(
    () => ({
      over: (ctx, chart) => {
        const ends = series.flatMap((one) => {
          const last = one.points.at(-1);
          if (!last) return [];
          const x = chart.scales.x?.getPixelForValue(percentilePosition(last.percentile)) ?? 0;
          return [{ one, x, y: chart.scales.y?.getPixelForValue(last.value) ?? 0 }];
        });
        const { top, bottom } = chart.chartArea;
        const placed = spreadLabels(
          ends.map((end) => end.y),
          { gap: 14, min: top, max: bottom - 4 },
        );
        ends.forEach(({ one, x, y }, i) => {
          drawMarker(ctx, theme, { index: one.treatment.index, x, y });
          const text = one.treatment.shortLabel;
          drawText(ctx, theme, { text, x: x + 10, y: placed[i] ?? y, weight: 500, colour: theme.text });
        });
      },
    }),
    [series, theme],
  );
  return <CanvasChart config={config} layers={layers} label={label} heightPx={heightPx} />;
}
