import { formatNumber } from '@mqttlab/shared/format/number';
import type { Chart } from 'chart.js';
import type { HistogramBin, HistogramRange, Quantile } from '../datasets/histogram-data.ts';
import { niceAxis } from '../datasets/nice-axis.ts';
import { spreadLabels } from '../datasets/spread-labels.ts';
import { type ChartTheme, treatmentPaint } from './chart-theme.ts';
import { drawLine, drawText } from './draw.ts';

export type HistogramDrawing = {
  chart: Chart;
  treatmentIndex: number;
  unit: string;
  noun: string;
  quantity: string;
  range: HistogramRange;
  bars: readonly HistogramBin[];
  steps: readonly HistogramBin[];
  quantiles: readonly Quantile[];
  maximum?: number;
  referenceName?: string;
};

export function drawHistogram(
  ctx: CanvasRenderingContext2D,
  theme: ChartTheme,
  drawing: HistogramDrawing,
): void {
  const {
    chart,
    treatmentIndex,
    unit,
    noun,
    quantity,
    range,
    bars,
    steps,
    quantiles,
    maximum,
    referenceName,
  } = drawing;
  const { left, right, top, bottom } = chart.chartArea;
  const place = (value: number) => (range.scale === 'log' ? Math.log(Math.max(value, 1e-12)) : value);
  const x = (value: number) => chart.scales.x?.getPixelForValue(place(value)) ?? 0;
  const y = (count: number) => chart.scales.y?.getPixelForValue(count) ?? 0;
  const first = bars[0];
  const per =
    first && range.scale === 'linear' ? `${formatNumber(first.hi - first.lo, 2)} ${unit}` : 'log bin';
  const headPx = Math.max(
    drawText(ctx, theme, { text: noun, x: 0, y: 8, colour: theme.title }),
    drawText(ctx, theme, { text: `per ${per}`, x: 0, y: 22, colour: theme.title }),
  );
  ctx.fillStyle = treatmentPaint(theme, treatmentIndex).solid;
  for (const bin of bars) {
    if (bin.count <= 0) continue;
    const width = Math.max(1, x(bin.hi) - x(bin.lo) - 1);
    const height = Math.max(1, y(0) - y(bin.count));
    ctx.fillRect(x(bin.lo) + 0.5, y(0) - height, width, height);
  }
  drawSteps(ctx, { steps, x, y, colour: theme.text2 });
  drawLine(ctx, { from: [left, bottom], to: [right, bottom], colour: theme.axis });
  for (const tick of xTicks(range)) {
    drawText(ctx, theme, {
      text: String(Number(tick.toPrecision(6))),
      x: x(tick),
      y: bottom + 12,
      align: 'center',
      colour: theme.tick,
    });
  }
  const axisName = `${quantity}, ${unit}${range.scale === 'log' ? ', logarithmic' : ''}`;
  drawText(ctx, theme, { text: axisName, x: right, y: bottom + 28, align: 'right', colour: theme.title });

  const labels = spreadLabels(
    quantiles.map((quantile) => x(quantile.value) + 5),
    { gap: 34, min: Math.max(left + 4, headPx + 14), max: right - 26 },
  );
  quantiles.forEach((quantile, i) => {
    const at = x(quantile.value);
    const labelX = labels[i] ?? at;
    drawLine(ctx, { from: [at, top - 12], to: [at, bottom], colour: theme.text });
    drawLine(ctx, { from: [labelX - 5, 2], to: [at, top - 12], colour: theme.text });
    drawText(ctx, theme, { text: quantile.name, x: labelX, y: 8, colour: theme.text2, halo: theme.surface });
    drawText(ctx, theme, {
      text: formatNumber(quantile.value),
      x: labelX,
      y: 22,
      weight: 600,
      colour: theme.text,
      halo: theme.surface,
    });
  });
  if (referenceName && steps.length > 0)
    drawReferenceKey(ctx, theme, { text: referenceName, right, y: (top + bottom) / 2 });
  if (maximum !== undefined)
    drawMaximum(ctx, theme, { at: x(maximum), right, bottom, text: formatNumber(maximum) });
}

function xTicks(range: HistogramRange): readonly number[] {
  if (range.scale === 'linear') {
    return niceAxis({ min: range.from, max: range.to, steps: 6 }).ticks.filter((tick) => tick <= range.to);
  }
  const decades: number[] = [];
  for (let power = Math.floor(Math.log10(range.from)); 10 ** power <= range.to; power += 1) {
    for (const lead of [1, 2, 5]) decades.push(lead * 10 ** power);
  }
  const inside = decades.filter((tick) => tick >= range.from && tick <= range.to);
  return inside.length > 9 ? inside.filter((tick) => Math.log10(tick) % 1 === 0) : inside;
}

type StepLine = {
  steps: readonly HistogramBin[];
  x: (value: number) => number;
  y: (count: number) => number;
  colour: string;
};

function drawSteps(ctx: CanvasRenderingContext2D, { steps, x, y, colour }: StepLine): void {
  if (steps.length === 0) return;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const bin of steps) {
    ctx.lineTo(x(bin.lo), y(bin.count));
    ctx.lineTo(x(bin.hi), y(bin.count));
  }
  ctx.stroke();
  ctx.restore();
}

function drawReferenceKey(
  ctx: CanvasRenderingContext2D,
  theme: ChartTheme,
  { text, right, y }: { text: string; right: number; y: number },
): void {
  const width = drawText(ctx, theme, {
    text,
    x: right,
    y,
    align: 'right',
    colour: theme.text2,
    halo: theme.surface,
  });
  drawLine(ctx, { from: [right - width - 20, y], to: [right - width - 6, y], colour: theme.text2 });
}

function drawMaximum(
  ctx: CanvasRenderingContext2D,
  theme: ChartTheme,
  { at, right, bottom, text }: { at: number; right: number; bottom: number; text: string },
): void {
  const isBeyond = at > right;
  const label = isBeyond ? `max ${text}, beyond the axis` : `max ${text}`;
  drawText(ctx, theme, {
    text: label,
    x: isBeyond ? right : Math.min(at, right - 24),
    y: bottom - 16,
    align: isBeyond ? 'right' : 'center',
    colour: theme.text2,
    halo: theme.surface,
  });
  if (!isBeyond) drawLine(ctx, { from: [at, bottom - 9], to: [at, bottom - 1], colour: theme.text2 });
}
