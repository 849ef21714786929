import type { Chart } from 'chart.js';
import type { BandPoint, SeriesPhase, SeriesPoint } from '../datasets/time-series-data.ts';
import { type ChartTheme, treatmentPaint, withAlpha } from './chart-theme.ts';
import { drawText } from './draw.ts';

export type SeriesGround = {
  chart: Chart;
  bands: readonly { index: number; band: readonly BandPoint[] }[];
  ghosts: readonly (readonly SeriesPoint[])[];
  ghostBand: readonly BandPoint[];
  phases: readonly SeriesPhase[];
};

/** What lies behind the lines: phases, bands, earlier repetitions. */
export function drawSeriesGround(
  ctx: CanvasRenderingContext2D,
  theme: ChartTheme,
  ground: SeriesGround,
): void {
  const { chart, bands, ghosts, ghostBand, phases } = ground;
  const { left, right, top, bottom } = chart.chartArea;
  const x = (t: number) => chart.scales.x?.getPixelForValue(t) ?? 0;
  const y = (v: number) => chart.scales.y?.getPixelForValue(v) ?? 0;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top - 2, right - left, bottom - top + 2);
  ctx.clip();
  for (const phase of phases.filter((one) => one.isShaded)) {
    ctx.fillStyle = theme.phase;
    ctx.fillRect(x(phase.from), top, x(phase.to) - x(phase.from), bottom - top);
  }
  const fillBand = (band: readonly BandPoint[], colour: string) => {
    if (band.length < 2) return;
    ctx.fillStyle = colour;
    ctx.beginPath();
    for (const point of band) ctx.lineTo(x(point.t), y(point.hi));
    for (const point of [...band].reverse()) ctx.lineTo(x(point.t), y(point.lo));
    ctx.closePath();
    ctx.fill();
  };
  fillBand(ghostBand, withAlpha(theme.ghost, 0.4));
  for (const { index, band } of bands) fillBand(band, treatmentPaint(theme, index).band);
  ctx.strokeStyle = theme.ghost;
  ctx.lineWidth = 1;
  for (const ghost of ghosts) {
    ctx.beginPath();
    for (const point of ghost) ctx.lineTo(x(point.t), y(point.v));
    ctx.stroke();
  }
  ctx.restore();
  for (const phase of phases) {
    if (!phase.name || x(phase.to) - x(phase.from) < 40) continue;
    drawText(ctx, theme, { text: phase.name, x: x(phase.from) + 4, y: top + 8, colour: theme.tick });
  }
}
