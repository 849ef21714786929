import { formatNumber } from '@mqttlab/shared/format/number';
import type { ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { baseOptions, hiddenScale, linearScale, type TipPoint } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import { treatmentPaint } from './canvas/chart-theme.ts';
import { drawFigure, drawInterval, drawLine, drawMarker, drawPublished, drawText } from './canvas/draw.ts';
import { makeMeasureText } from './canvas/measure-text.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import { useWidth } from './canvas/use-width.ts';
import { type BarGroup, barAxis, barFigure, barRows } from './datasets/bar-interval-data.ts';
import { dimmedAlpha } from './panels/chart-pick.ts';

export type BarIntervalChartProps = {
  label: string;
  /** Of every value; written after the axis' last tick. */
  unit: string;
  groups: readonly BarGroup[];
  /** `log` where every value is above zero: marks in place of bars, which have no zero to start from. */
  scale?: 'linear' | 'log';
};

const ROW_PX = 24;
/** Where names and figures stand above the bars. */
const TALL_ROW_PX = 42;
/** With less than this left for the bars they do. */
const PLOT_PX = 120;
const AXIS_PX = 22;

/** Level bars from zero with their 95 % interval, the figure at the right. */
export function BarIntervalChart(props: BarIntervalChartProps): ReactElement {
  const { label, unit, groups, scale = 'linear' } = props;
  const theme = useChartTheme();
  const [ref, width] = useWidth();
  const rows = useMemo(() => barRows(groups), [groups]);
  const axis = useMemo(() => barAxis(groups, scale), [groups, scale]);
  const widths = useMemo(() => {
    const measure = makeMeasureText(theme);
    const bars = groups.flatMap((group) => group.bars);
    const names = bars.map((bar) => measure(bar.treatment.shortLabel));
    const figures = bars.map((bar) => {
      const { value, interval } = barFigure(bar);
      return measure(value, 600) + measure(interval) + 5;
    });
    const name = Math.ceil(Math.max(0, ...names)) + 24;
    const figure = Math.ceil(Math.max(0, ...figures)) + 16;
    return { name, figure };
  }, [groups, theme]);
  const isWide = width === 0 || width - widths.name - widths.figure >= PLOT_PX;
  const rowPx = isWide ? ROW_PX : TALL_ROW_PX;
  const margins = useMemo(
    () => (isWide ? { left: widths.name, right: widths.figure } : { left: 20, right: 20 }),
    [isWide, widths],
  );

  const config = useMemo<ChartConfiguration<'scatter'>>(() => {
    const data = rows.flatMap((row, i): TipPoint[] => {
      if (row.kind === 'heading') return [];
      const { value, interval } = barFigure(row.bar);
      const tip = [row.bar.treatment.label, `${value} ${unit} ${interval}`];
      const { id } = row.bar.treatment;
      return [{ x: row.bar.value, y: i, tip, ...(id ? { pick: id } : {}) }];
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
        // An interval that reaches zero ends at the edge of a logarithmic axis.
        const x = (value: number) =>
          chart.scales.x?.getPixelForValue(axis.isLog ? Math.max(axis.min, value) : value) ?? 0;
        rows.forEach((row, i) => {
          const middle = chart.scales.y?.getPixelForValue(i) ?? 0;
          const y = isWide || row.kind === 'heading' ? middle : middle + 8;
          const line = isWide ? y : middle - 10;
          if (row.kind === 'heading') {
            ctx.fillStyle = theme.surface;
            ctx.fillRect(0, y - rowPx / 2, chart.width, rowPx);
            drawText(ctx, theme, { text: row.title, x: 0, y, weight: 600, colour: theme.text });
            return;
          }
          const { treatment, value, lo, hi, published } = row.bar;
          ctx.globalAlpha = treatment.isDimmed ? dimmedAlpha : 1;
          const paint = treatmentPaint(theme, treatment.index);
          const markerX = isWide ? left - 10 : 6;
          const nameX = isWide ? 0 : 16;
          drawText(ctx, theme, { text: treatment.shortLabel, x: nameX, y: line, colour: theme.text2 });
          drawMarker(ctx, theme, { index: treatment.index, x: markerX, y: line, size: 3 });
          ctx.fillStyle = paint.fill;
          ctx.strokeStyle = paint.stroke;
          ctx.lineWidth = 1.25;
          if (axis.isLog) {
            drawLine(ctx, { from: [left, y], to: [chart.chartArea.right, y], colour: theme.grid });
          } else {
            const from = Math.min(x(0), x(value));
            ctx.beginPath();
            ctx.rect(from, y - 7, Math.abs(x(value) - x(0)), 14);
            ctx.fill();
            ctx.stroke();
          }
          if (lo !== undefined && hi !== undefined) {
            drawInterval(ctx, { lo: x(lo), hi: x(hi), at: y, cap: 3.5, colour: theme.error, isLevel: true });
          }
          if (axis.isLog) drawMarker(ctx, theme, { index: treatment.index, x: x(value), y, size: 4.5 });
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
          drawFigure(ctx, theme, { ...barFigure(row.bar), x: chart.width, y: line });
          ctx.globalAlpha = 1;
        });
      },
    }),
    [rows, theme, isWide, rowPx, axis],
  );
  return (
    <div ref={ref}>
      <CanvasChart config={config} layers={layers} label={label} heightPx={rows.length * rowPx + AXIS_PX} />
    </div>
  );
}
