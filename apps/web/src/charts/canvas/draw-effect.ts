import { type ChartTheme, treatmentPaint } from './chart-theme.ts';
import { drawInterval, drawLine, drawMarker, drawPublished, drawText } from './draw.ts';

/** Pixels of one effect on its row. */
export type EffectPixels = {
  index: number;
  value: number;
  lo: number;
  hi: number;
  y: number;
  published?: number;
  publishedText?: string;
  range: readonly [number, number];
};

/** Narrower than this, the marker would hide its own interval. */
const MARKER_FITS_PX = 16;

/** Interval with caps and marker; an interval narrower than its marker becomes a solid bar crossed at the value. */
export function drawEffect(ctx: CanvasRenderingContext2D, theme: ChartTheme, effect: EffectPixels): void {
  const { index, value, lo, hi, y, published, publishedText = '', range } = effect;
  const { stroke, solid } = treatmentPaint(theme, index);
  if (published !== undefined) {
    const fits = published + 44 < range[1];
    drawPublished(ctx, theme, { x: published, y });
    drawText(ctx, theme, {
      text: publishedText,
      x: published + (fits ? 8 : -8),
      y,
      align: fits ? 'left' : 'right',
      colour: theme.text2,
      halo: theme.surface,
    });
  }
  if (hi - lo >= MARKER_FITS_PX) {
    drawInterval(ctx, { lo, hi, at: y, cap: 4, colour: stroke, isLevel: true });
    drawMarker(ctx, theme, { index, x: value, y });
    return;
  }
  const width = Math.max(2, hi - lo);
  const from = (lo + hi) / 2 - width / 2;
  ctx.save();
  ctx.fillStyle = solid;
  ctx.fillRect(from, y - 5, width, 10);
  ctx.restore();
  drawInterval(ctx, { lo: from, hi: from + width, at: y, cap: 5, colour: stroke, isLevel: true });
  drawLine(ctx, { from: [value, y - 8], to: [value, y + 8], colour: stroke, width: 1.5 });
}
