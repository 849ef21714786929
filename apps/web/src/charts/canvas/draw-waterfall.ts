import { formatFixed } from '@mqttlab/shared/format/number';
import type { Chart } from 'chart.js';
import {
  phaseText,
  type QuantityLook,
  type Waterfall,
  type WaterfallPart,
} from '../datasets/waterfall-data.ts';
import { type ChartTheme, treatmentPaint } from './chart-theme.ts';
import { drawLine, drawText } from './draw.ts';

export type WaterfallDrawing = {
  chart: Chart;
  waterfall: Waterfall;
  treatmentIndex: number;
  layout: { columns: readonly QuantityLook[]; widths: readonly number[] };
  chosen: QuantityLook | undefined;
  columnGap: number;
};

/** The gap of the broken axis, as a share of the drawing's width. */
const BREAK = 0.05;

/** Where a value of one part lies on the whole broken axis, 0 to 1. */
export function partPosition(
  parts: readonly WaterfallPart[],
  name: WaterfallPart['name'],
  value: number,
): number {
  const i = Math.max(
    0,
    parts.findIndex((part) => part.name === name),
  );
  const part = parts[i];
  if (!part) return 0;
  const width = parts.length > 1 ? (1 - BREAK) / 2 : 1;
  return i * (width + BREAK) + (value / part.axis.max) * width;
}

export function drawWaterfall(
  ctx: CanvasRenderingContext2D,
  theme: ChartTheme,
  drawing: WaterfallDrawing,
): void {
  const { chart, waterfall, treatmentIndex } = drawing;
  const { parts, bars } = waterfall;
  const { top, bottom } = chart.chartArea;
  const x = (part: WaterfallPart['name'], value: number) =>
    chart.scales.x?.getPixelForValue(partPosition(parts, part, value)) ?? 0;
  const y = (i: number) => chart.scales.y?.getPixelForValue(i) ?? 0;
  const row = (bottom - top) / Math.max(1, bars.length);

  for (const part of parts) {
    drawText(ctx, theme, {
      text: `${part.name}, ${part.unit}`,
      x: x(part.name, 0),
      y: 8,
      colour: theme.tick,
    });
    part.axis.ticks.forEach((tick, i) => {
      const at = x(part.name, tick);
      drawLine(ctx, { from: [at, top], to: [at, bottom], colour: tick === 0 ? theme.axis : theme.grid });
      const isLast = i === part.axis.ticks.length - 1;
      const align = tick === 0 ? 'left' : isLast ? 'right' : 'center';
      const text = formatFixed(tick, part.axis.decimals);
      drawText(ctx, theme, { text, x: at, y: bottom + 12, align, colour: theme.tick });
    });
  }
  drawLine(ctx, { from: [0, top], to: [chart.width, top], colour: theme.axis });
  drawLine(ctx, { from: [0, bottom], to: [chart.width, bottom], colour: theme.axis });
  if (parts.length > 1)
    drawBreak(ctx, theme, { chart, at: (x('load', 0) + x('set-up', parts[0]?.axis.max ?? 0)) / 2 });

  const paint = treatmentPaint(theme, treatmentIndex);
  bars.forEach((bar, i) => {
    const centre = y(i);
    if (i > 0) {
      const line = centre - row / 2;
      drawLine(ctx, { from: [0, line], to: [chart.width, line], colour: theme.grid });
    }
    drawText(ctx, theme, { text: bar.phase.name, x: 0, y: centre, weight: 500, colour: theme.text });
    drawColumns(ctx, theme, { ...drawing, i, centre });
    if (bar.to <= bar.from) return;
    const from = x(bar.phase.part, bar.from);
    const width = Math.max(2, x(bar.phase.part, bar.to) - from);
    ctx.save();
    ctx.fillStyle = paint.solid;
    ctx.strokeStyle = paint.stroke;
    ctx.lineWidth = 1.25;
    ctx.beginPath();
    ctx.roundRect(from, centre - 7, width, 14, 1);
    ctx.fill();
    ctx.stroke();
    ctx.restore();
  });
  drawHeads(ctx, theme, drawing);
}

function drawBreak(
  ctx: CanvasRenderingContext2D,
  theme: ChartTheme,
  { chart, at }: { chart: Chart; at: number },
): void {
  const { top, bottom } = chart.chartArea;
  for (const y of [top, bottom]) {
    ctx.fillStyle = theme.surface;
    ctx.fillRect(at - 4, y - 3, 8, 6);
    for (const dx of [-3, 2]) {
      drawLine(ctx, { from: [at + dx - 1, y + 5], to: [at + dx + 2, y - 5], colour: theme.text3 });
    }
  }
}

function columnEnd({ chart, layout, columnGap }: WaterfallDrawing, k: number): number {
  const after = layout.widths.slice(k + 1).reduce((sum, width) => sum + width + columnGap, 0);
  return chart.width - after;
}

function drawHeads(ctx: CanvasRenderingContext2D, theme: ChartTheme, drawing: WaterfallDrawing): void {
  drawText(ctx, theme, { text: 'Phase', x: 0, y: 8, colour: theme.tick });
  drawing.layout.columns.forEach((look, k) => {
    const isChosen = look === drawing.chosen;
    drawText(ctx, theme, {
      text: look.head,
      x: columnEnd(drawing, k),
      y: 8,
      align: 'right',
      weight: isChosen ? 600 : 400,
      colour: isChosen ? theme.text : theme.tick,
    });
  });
}

type RowPlace = WaterfallDrawing & { i: number; centre: number };

function drawColumns(ctx: CanvasRenderingContext2D, theme: ChartTheme, place: RowPlace): void {
  const bar = place.waterfall.bars[place.i];
  if (!bar) return;
  place.layout.columns.forEach((look, k) => {
    const isChosen = look === place.chosen;
    drawText(ctx, theme, {
      text: phaseText(bar.phase, look),
      x: columnEnd(place, k),
      y: place.centre,
      align: 'right',
      weight: isChosen ? 600 : 400,
      colour: isChosen ? theme.text : theme.text2,
    });
  });
}
