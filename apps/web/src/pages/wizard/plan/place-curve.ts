import { niceAxis } from '../../../charts/datasets/nice-axis.ts';
import type { CurvePoint } from './resolution-curve.ts';

/** px; the picture scales with its column. */
export const chartBox = { widthPx: 248, heightPx: 104, left: 30, top: 12, right: 6, bottom: 20 } as const;

export interface PlacedCurve {
  path: string;
  /** `isRight`: its label has no room at the right. */
  now: { x: number; y: number; isRight: boolean } | null;
  yTicks: { value: number; at: number }[];
  /** Of the y ticks. */
  decimals: number;
  xTicks: { value: number; at: number }[];
  /** y of the x axis. */
  ground: number;
}

export interface CurveInput {
  curve: readonly CurvePoint[];
  now: CurvePoint | null;
}

/** Curve and axes in px, y from zero. */
export function placeCurve({ curve, now }: CurveInput): PlacedCurve {
  const { widthPx, heightPx, left, top, right, bottom } = chartBox;
  const ground = heightPx - bottom;
  const [from, to] = [curve[0]?.repetitions ?? 0, curve.at(-1)?.repetitions ?? 1];
  const highest = Math.max(...curve.map((point) => point.difference), now?.difference ?? 0, Number.MIN_VALUE);
  const axis = niceAxis({ min: 0, max: highest, steps: 3 });
  const x = (repetitions: number) =>
    round(left + ((repetitions - from) / Math.max(1, to - from)) * (widthPx - left - right));
  const y = (value: number) => round(ground - (value / axis.max) * (ground - top));
  const clamped = now && Math.min(to, Math.max(from, now.repetitions));
  return {
    path: curve
      .map((point, i) => `${i === 0 ? 'M' : 'L'}${x(point.repetitions)} ${y(point.difference)}`)
      .join(''),
    now:
      now && clamped !== null
        ? { x: x(clamped), y: y(now.difference), isRight: x(clamped) > widthPx - 70 }
        : null,
    yTicks: axis.ticks.map((value) => ({ value, at: y(value) })),
    decimals: axis.decimals,
    xTicks: xTickValues({ from, to, now: clamped }).map((value) => ({ value, at: x(value) })),
    ground,
  };
}

/** The ends, the chosen number, and some between that keep their distance. */
function xTickValues({ from, to, now }: { from: number; to: number; now: number | null }): number[] {
  const apart = Math.max(1, (to - from) / 8);
  const kept = [...new Set([...(now === null ? [] : [now]), from, to])].filter(
    (value, _i, all) => value === now || now === null || Math.abs(value - now) >= apart || all.length === 1,
  );
  for (let value = from; value <= to; value += 1) {
    if (kept.every((other) => Math.abs(other - value) >= apart)) kept.push(value);
  }
  return kept.sort((a, b) => a - b);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
