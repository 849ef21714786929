import { colourOf, type Palette } from './palette.ts';
import { errorBar, errorBarAcross, line, marker } from './plot.ts';
import { hatched } from './shapes.ts';
import { el, type SvgNode } from './svg.ts';

export interface BoxStatistics {
  p5: number;
  p25: number;
  p50: number;
  p75: number;
  p95: number;
  mean: number;
}

export interface BoxPlace {
  mark: number;
  /** Centre of the box across the values, and half its width. */
  at: number;
  half: number;
  /** Pixel of a value. */
  scale(value: number): number;
  paint: { fill: string; fillOpacity?: number };
  isLevel?: boolean;
  /** Of what does not count: hatched in place of filled. */
  isHatched?: boolean | undefined;
  tip?: string;
}

/** Whiskers P5 to P95, box P25 to P75, median line, marker at the mean. */
export function boxMark(palette: Palette, box: BoxStatistics, place: BoxPlace): SvgNode[] {
  const { mark, at, half, scale, paint, isLevel = false, isHatched = false, tip } = place;
  const stroke = colourOf(palette, mark);
  const [lo, hi] = [scale(box.p5), scale(box.p95)];
  const [start, end] = [scale(box.p25), scale(box.p75)].sort((a, b) => a - b) as [number, number];
  const length = Math.max(1, end - start);
  const corner = isLevel ? { x: start, y: at - half } : { x: at - half, y: start };
  const size = isLevel ? { width: length, height: 2 * half } : { width: 2 * half, height: length };
  const [median, mean] = [scale(box.p50), scale(box.mean)];
  const cap = half / 2;
  return [
    isLevel ? errorBarAcross(stroke, { y: at, lo, hi, cap }) : errorBar(stroke, { x: at, lo, hi, cap }),
    // The whisker does not show through the box.
    el('rect', { ...corner, ...size, rx: 1.5, fill: palette.surface }),
    ...(isHatched
      ? hatched(
          { left: corner.x, top: corner.y, right: corner.x + size.width, bottom: corner.y + size.height },
          stroke,
        )
      : [
          el(
            'rect',
            { ...corner, ...size, rx: 1.5, ...paint, stroke, strokeWidth: 1.25 },
            tip ? [el('title', {}, [tip])] : [],
          ),
        ]),
    isLevel
      ? line({ from: [median, at - half], to: [median, at + half], stroke, width: 2 })
      : line({ from: [at - half, median], to: [at + half, median], stroke, width: 2 }),
    marker(palette, mark, isLevel ? { x: mean, y: at, tip } : { x: at, y: mean, tip }),
  ];
}
