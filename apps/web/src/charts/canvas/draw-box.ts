import { type ChartTheme, treatmentPaint } from './chart-theme.ts';
import { drawInterval, drawLine, drawMarker } from './draw.ts';

/** Pixels along the value axis, and the box's centre across it. */
export type BoxPixels = {
  index: number;
  p5: number;
  p25: number;
  p50: number;
  p75: number;
  p95: number;
  mean: number;
  centre: number;
  half: number;
  isLevel: boolean;
};

/** Whiskers P5 to P95, box P25 to P75, median line, marker at the mean. */
export function drawBox(ctx: CanvasRenderingContext2D, theme: ChartTheme, box: BoxPixels): void {
  const { stroke, fill } = treatmentPaint(theme, box.index);
  const { centre, half, isLevel } = box;
  const point = (along: number, across: number): [number, number] =>
    isLevel ? [along, across] : [across, along];
  drawInterval(ctx, { lo: box.p5, hi: box.p95, at: centre, cap: isLevel ? 4.5 : 6, colour: stroke, isLevel });
  ctx.save();
  ctx.fillStyle = fill;
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 1.25;
  const [x0, y0] = point(box.p25, centre - half);
  const [x1, y1] = point(box.p75, centre + half);
  ctx.beginPath();
  ctx.roundRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0), 1.5);
  ctx.fill();
  ctx.stroke();
  ctx.restore();
  drawLine(ctx, {
    from: point(box.p50, centre - half),
    to: point(box.p50, centre + half),
    colour: stroke,
    width: 2,
  });
  drawMarker(ctx, theme, { index: box.index, ...xy(point(box.mean, centre)) });
}

function xy([x, y]: [number, number]): { x: number; y: number } {
  return { x, y };
}
