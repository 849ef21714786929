import { formatQuantity } from '@mqttlab/shared/format/quantity';
import type { Chart, ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { baseOptions, hiddenScale, linearScale, type TipPoint } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import { type ChartTheme, treatmentPaint } from './canvas/chart-theme.ts';
import { drawText } from './canvas/draw.ts';
import { makeMeasureText } from './canvas/measure-text.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import { type StackedBars as Data, stackedAxis, totalOf } from './datasets/stacked-bars-data.ts';

export type StackedBarsProps = { label: string; unit: string; treatmentIndex: number; data: Data };

const ROW_PX = 30;
const AXIS_PX = 22;
const KEY_PX = 26;

/** Level bars from zero in up to three parts: strong, tinted, outlined; the sum at the right. */
export function StackedBars({ label, unit, treatmentIndex, data }: StackedBarsProps): ReactElement {
  const theme = useChartTheme();
  const margins = useMemo(() => {
    const measure = makeMeasureText(theme);
    const names = data.bars.map((bar) => measure(bar.name, 500));
    const sums = data.bars.map((bar) => measure(formatQuantity(totalOf(bar), unit), 600));
    return { left: Math.ceil(Math.max(0, ...names)) + 12, right: Math.ceil(Math.max(0, ...sums)) + 14 };
  }, [data, unit, theme]);
  const config = useMemo<ChartConfiguration<'scatter'>>(() => {
    const points = data.bars.map((bar, i): TipPoint => {
      const parts = data.parts.map((part, k) => `${part}: ${formatQuantity(bar.parts[k] ?? 0, unit)}`);
      return { x: totalOf(bar) / 2, y: i, tip: [bar.name, ...parts] };
    });
    return {
      type: 'scatter',
      data: { datasets: [{ data: points, pointRadius: 0, pointHoverRadius: 0, pointHitRadius: 14 }] },
      options: baseOptions(
        theme,
        { top: KEY_PX, bottom: 0, ...margins, hover: 'y' },
        {
          x: linearScale(theme, { axis: stackedAxis(data), position: 'bottom', sizePx: AXIS_PX, unit }),
          y: hiddenScale(-0.5, data.bars.length - 0.5, true),
        },
      ),
    };
  }, [data, unit, theme, margins]);
  const layers = useMemo<ChartLayers>(
    () => ({ over: (ctx, chart) => drawBars(ctx, theme, { chart, data, unit, treatmentIndex }) }),
    [data, unit, treatmentIndex, theme],
  );
  const heightPx = KEY_PX + data.bars.length * ROW_PX + AXIS_PX;
  return <CanvasChart config={config} layers={layers} label={label} heightPx={heightPx} />;
}

type BarsDrawing = { chart: Chart; data: Data; unit: string; treatmentIndex: number };

function drawBars(ctx: CanvasRenderingContext2D, theme: ChartTheme, drawing: BarsDrawing): void {
  const { chart, data, unit, treatmentIndex } = drawing;
  const { stroke, solid, fill } = treatmentPaint(theme, treatmentIndex);
  const paints = [solid, fill, theme.surface];
  const x = (value: number) => chart.scales.x?.getPixelForValue(value) ?? 0;
  const box = (at: { left: number; top: number; width: number; height: number; part: number }) => {
    ctx.fillStyle = paints[at.part % paints.length] ?? fill;
    ctx.strokeStyle = stroke;
    ctx.lineWidth = 1.25;
    ctx.beginPath();
    ctx.rect(at.left, at.top, at.width, at.height);
    ctx.fill();
    ctx.stroke();
  };
  let keyAt = chart.chartArea.left;
  data.parts.forEach((part, i) => {
    box({ left: keyAt + 1, top: 4, width: 12, height: 10, part: i });
    keyAt += 18 + drawText(ctx, theme, { text: part, x: keyAt + 18, y: 9, colour: theme.text2 }) + 16;
  });
  data.bars.forEach((bar, i) => {
    const y = chart.scales.y?.getPixelForValue(i) ?? 0;
    drawText(ctx, theme, { text: bar.name, x: 0, y, weight: 500, colour: theme.text });
    let from = 0;
    bar.parts.forEach((value, part) => {
      if (value > 0) box({ left: x(from), top: y - 9, width: x(from + value) - x(from), height: 18, part });
      from += value;
    });
    const text = formatQuantity(from, unit);
    drawText(ctx, theme, { text, x: chart.width, y, align: 'right', weight: 600, colour: theme.text });
  });
}
