import { markerPath } from '@mqttlab/shared/figures/drawing/marker-path';
import { treatmentStyle } from '../../ui/treatment-mark.tsx';
import { type ChartTheme, treatmentPaint } from './chart-theme.ts';
import { recorderOf } from './svg-recorder.ts';

export type TextWeight = 400 | 500 | 600;

export type TextSpec = {
  text: string;
  x: number;
  y: number;
  colour: string;
  align?: CanvasTextAlign;
  weight?: TextWeight;
  sizePx?: number;
  mono?: boolean;
  /** Painted around the letters so that lines under them do not disturb. */
  halo?: string;
};

export function fontOf(
  theme: ChartTheme,
  { weight = 400, sizePx = 11, mono = false }: Partial<TextSpec>,
): string {
  return `${weight} ${sizePx}px ${mono ? theme.fontMono : theme.fontSans}`;
}

/** Draws one line of text, vertically centred on y; returns its width. */
export function drawText(ctx: CanvasRenderingContext2D, theme: ChartTheme, spec: TextSpec): number {
  ctx.save();
  ctx.font = fontOf(theme, spec);
  ctx.textAlign = spec.align ?? 'left';
  ctx.textBaseline = 'middle';
  if (spec.halo) {
    ctx.strokeStyle = spec.halo;
    ctx.lineWidth = 3;
    ctx.lineJoin = 'round';
    ctx.strokeText(spec.text, spec.x, spec.y);
  }
  ctx.fillStyle = spec.colour;
  ctx.fillText(spec.text, spec.x, spec.y);
  const { width } = ctx.measureText(spec.text);
  ctx.restore();
  return width;
}

/** Draws "18.4 [17.9, 18.8]" ending at x: the figure strong, the interval dimmed. */
export function drawFigure(
  ctx: CanvasRenderingContext2D,
  theme: ChartTheme,
  { value, interval, x, y }: { value: string; interval: string; x: number; y: number },
): void {
  const width = interval
    ? drawText(ctx, theme, { text: interval, x, y, align: 'right', colour: theme.text2 }) + 5
    : 0;
  drawText(ctx, theme, { text: value, x: x - width, y, align: 'right', weight: 600, colour: theme.text });
}

export type MarkerSpec = { index: number; x: number; y: number; size?: number };

/** The treatment's marker, filled with its colour. */
export function drawMarker(ctx: CanvasRenderingContext2D, theme: ChartTheme, spec: MarkerSpec): void {
  const { d, isStroke } = markerPath(treatmentStyle(spec.index), {
    x: spec.x,
    y: spec.y,
    size: spec.size ?? 3.5,
  });
  const { stroke } = treatmentPaint(theme, spec.index);
  ctx.save();
  ctx.fillStyle = stroke;
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 1.5;
  paintPath(ctx, d, isStroke ? 'stroke' : 'fill');
  ctx.restore();
}

/** A path in SVG's words, on screen or into a file. */
function paintPath(ctx: CanvasRenderingContext2D, d: string, paint: 'fill' | 'stroke'): void {
  const recorder = recorderOf(ctx);
  if (recorder) recorder.path(d, paint, true);
  else ctx[paint](new Path2D(d));
}

/** The hollow diamond of a published value. */
export function drawPublished(
  ctx: CanvasRenderingContext2D,
  theme: ChartTheme,
  { x, y }: { x: number; y: number },
): void {
  const { d } = markerPath(4, { x, y, size: 3.9 });
  ctx.save();
  ctx.fillStyle = theme.surface;
  ctx.strokeStyle = theme.published;
  ctx.lineWidth = 1.5;
  paintPath(ctx, d, 'fill');
  paintPath(ctx, d, 'stroke');
  ctx.restore();
}

export type LineSpec = {
  from: readonly [number, number];
  to: readonly [number, number];
  colour: string;
  width?: number;
  dash?: readonly number[];
};

/** A straight line; a thin upright or level one is moved to the pixel grid. */
export function drawLine(
  ctx: CanvasRenderingContext2D,
  { from, to, colour, width = 1, dash = [] }: LineSpec,
): void {
  const isThin = width <= 1;
  const snap = (value: number) => (isThin ? Math.round(value - 0.5) + 0.5 : value);
  const isUpright = from[0] === to[0];
  const isLevel = from[1] === to[1];
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash([...dash]);
  ctx.beginPath();
  ctx.moveTo(isUpright ? snap(from[0]) : from[0], isLevel ? snap(from[1]) : from[1]);
  ctx.lineTo(isUpright ? snap(to[0]) : to[0], isLevel ? snap(to[1]) : to[1]);
  ctx.stroke();
  ctx.restore();
}

export type IntervalSpec = {
  lo: number;
  hi: number;
  at: number;
  cap: number;
  colour: string;
  isLevel?: boolean;
};

/** An error bar with caps: upright unless level; lo, hi and at are pixels. */
export function drawInterval(ctx: CanvasRenderingContext2D, spec: IntervalSpec): void {
  const { lo, hi, at, cap, colour, isLevel = false } = spec;
  const point = (along: number, across: number): [number, number] =>
    isLevel ? [along, across] : [across, along];
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(...point(lo, at));
  ctx.lineTo(...point(hi, at));
  for (const end of [lo, hi]) {
    ctx.moveTo(...point(end, at - cap));
    ctx.lineTo(...point(end, at + cap));
  }
  ctx.stroke();
  ctx.restore();
}
