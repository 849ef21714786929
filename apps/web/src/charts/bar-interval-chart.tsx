import { formatNumber } from '@mqttlab/shared/format/number';
import type { ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { type BarGroup, barAxis, barFigure, barRows } from './bar-interval-data.ts';
import { baseOptions, hiddenScale, linearScale, type TipPoint } from './base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas-chart.tsx';
import { treatmentPaint } from './chart-theme.ts';
import { drawFigure, drawInterval, drawMarker, drawPublished, drawText } from './draw.ts';
import { makeMeasureText } from './measure-text.ts';
import { useChartTheme } from './use-chart-theme.ts';

export type BarIntervalChartProps = {
  label: string;
  /** Of every value; written after the axis' last tick. */
  unit: string;
  groups: readonly BarGroup[];
};

const ROW_PX = 24;
const AXIS_PX = 22;

/** Level bars from zero with their 95 % interval, the figure at the right. */
export function BarIntervalChart({ label, unit, groups }: BarIntervalChartProps): ReactElement {
  const theme = useChartTheme();
  const rows = useMemo(() => barRows(groups), [groups]);
  const axis = useMemo(() => barAxis(groups), [groups]);
  const margins = useMemo(() => {
    const measure = makeMeasureText(theme);
    const bars = groups.flatMap((group) => group.bars);
    const names = bars.map((bar) => measure(bar.treatment.shortLabel));
    const figures = bars.map((bar) => {
      const { value, interval } = barFigure(bar);
      return measure(value, 600) + measure(interval) + 5;
    });
    return { left: Math.ceil(Math.max(0, ...names)) + 24, right: Math.ceil(Math.max(0, ...figures)) + 16 };
  }, [groups, theme]);

  const config = useMemo<ChartConfiguration<'scatter'>>(() => {
    const data = rows.flatMap((row, i): TipPoint[] => {
      if (row.kind === 'heading') return [];
      const { value, interval } = barFigure(row.bar);
      const tip = [row.bar.treatment.label, `${value} ${unit} ${interval}`];
      return [{ x: row.bar.value, y: i, tip }];
    });
    return {
      type: 'scatter',
      data: { datasets: [{ data, pointRadius: 0, pointHoverRadius: 0, pointHitRadius: 14 }] },
      options: baseOptions(
        theme,
        { top: 0, bottom: 0, ...margins, hover: 'y' },
        {
          x: linearScale(theme, { axis, position: 'bottom', sizePx: AXIS_PX, unit }),
          y: hiddenScale(-0.5, rows.length - 0.5, true),
        },
      ),
    };
  }, [rows, unit, axis, margins, theme]);

  const layers = useMemo<ChartLayers>(
    () => ({
      over: (ctx, chart) => {
        const { left } = chart.chartArea;
        const x = (value: number) => chart.scales.x?.getPixelForValue(value) ?? 0;
        rows.forEach((row, i) => {
          const y = chart.scales.y?.getPixelForValue(i) ?? 0;
          if (row.kind === 'heading') {
            ctx.fillStyle = theme.surface;
            ctx.fillRect(0, y - ROW_PX / 2, chart.width, ROW_PX);
            drawText(ctx, theme, { text: row.title, x: 0, y, weight: 600, colour: theme.text });
            return;
          }
          const { treatment, value, lo, hi, published } = row.bar;
          const paint = treatmentPaint(theme, treatment.index);
          drawText(ctx, theme, { text: treatment.shortLabel, x: 0, y, colour: theme.text2 });
          drawMarker(ctx, theme, { index: treatment.index, x: left - 10, y, size: 3 });
          ctx.fillStyle = paint.fill;
          ctx.strokeStyle = paint.stroke;
          ctx.lineWidth = 1.25;
          const from = Math.min(x(0), x(value));
          ctx.beginPath();
          ctx.rect(from, y - 7, Math.abs(x(value) - x(0)), 14);
          ctx.fill();
          ctx.stroke();
          if (lo !== undefined && hi !== undefined) {
            drawInterval(ctx, { lo: x(lo), hi: x(hi), at: y, cap: 3.5, colour: theme.error, isLevel: true });
          }
          if (published !== undefined) {
            drawPublished(ctx, theme, { x: x(published), y });
            drawText(ctx, theme, {
              text: formatNumber(published),
              x: x(published) + 9,
              y,
              colour: theme.text2,
              halo: theme.surface,
            });
          }
          drawFigure(ctx, theme, { ...barFigure(row.bar), x: chart.width, y });
        });
      },
    }),
    [rows, theme],
  );
  return (
    <CanvasChart config={config} layers={layers} label={label} heightPx={rows.length * ROW_PX + AXIS_PX} />
  );
}
