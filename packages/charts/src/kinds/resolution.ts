import { minRuns } from '@mqttlab/shared/analysis/estimate';
import { type DetectableInput, detectableDifference } from '@mqttlab/shared/analysis/resolution';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { displayUnit } from '@mqttlab/shared/format/unit';
import { bareAxis, niceAxis } from '../drawing/axis.ts';
import type { Figure } from '../drawing/figure.ts';
import { label, pathThrough, rule } from '../drawing/marks.ts';
import type { Palette } from '../drawing/palette.ts';
import { el } from '../drawing/svg.ts';

export interface ResolutionPoint {
  repetitions: number;
  /** Difference in percent of the baseline, or in the unit of the metric. */
  difference: number;
}

export interface ResolutionCurve {
  /**
   * Difference that the chosen repetitions can detect; null for fewer than three, the minimum for an
   * interval.
   */
  now: ResolutionPoint | null;
  curve: readonly ResolutionPoint[];
}

const maxPoints = 24;

/** Returns the smallest detectable difference by number of repetitions, around the chosen number. */
export function makeResolutionCurve(resolution: DetectableInput, repetitions: number): ResolutionCurve {
  const at = (count: number): ResolutionPoint | null => {
    const difference = detectableDifference(resolution, count);
    return difference === null ? null : { repetitions: count, difference };
  };
  return {
    now: at(repetitions),
    curve: spread(minRuns, Math.max(10, Math.ceil(repetitions * 1.6))).flatMap((count) => at(count) ?? []),
  };
}

/** Returns at most `maxPoints` whole numbers from `from` to `to`, both included. */
export function spread(from: number, to: number): number[] {
  const steps = Math.min(maxPoints, to - from + 1);
  const all = Array.from({ length: steps }, (_, i) =>
    Math.round(from + ((to - from) * i) / Math.max(1, steps - 1)),
  );
  return [...new Set(all)];
}

/** Returns the unit of the axis, with the prefix that fits the curve. */
export function resolutionUnit({ curve, now }: ResolutionCurve, unit: string): string {
  return displayUnit(highestOf({ curve, now }), unit).unit;
}

function highestOf({ curve, now }: ResolutionCurve): number {
  return Math.max(...curve.map(({ difference }) => difference), now?.difference ?? 0);
}

/** Size of the figure; the page scales it with its column. */
export const resolutionSize = { widthPx: 248, heightPx: 104 };
const margins = { left: 30, top: 12, right: 6, bottom: 20 };
/** Space for the value on the right of its point, in px. */
const valuePx = 70;

/**
 * Describes the smallest detectable difference by number of repetitions, from zero. The chosen number is
 * marked.
 */
export function describeResolutionCurve(
  palette: Palette,
  { curve, now, unit }: ResolutionCurve & { unit: string },
): Figure {
  const highest = highestOf({ curve, now });
  const display = displayUnit(highest, unit);
  const scaled = (difference: number) => difference * display.multiplier;
  const text = now ? formatQuantity(now.difference, unit, { significant: 2 }) : '';
  const [from, to] = [curve[0]?.repetitions ?? 0, curve.at(-1)?.repetitions ?? 1];
  const chosen = now && Math.min(to, Math.max(from, now.repetitions));
  const xTicks = resolutionTicks({ from, to, now: chosen });
  return {
    label: now
      ? `Smallest detectable difference: ${text} with ${now.repetitions} repetitions`
      : 'Smallest detectable difference against repetitions',
    heightPx: resolutionSize.heightPx,
    margins,
    x: bareAxis(from, Math.max(from + 1, to)),
    y: niceAxis({ min: 0, max: Math.max(scaled(highest), Number.MIN_VALUE), steps: 3 }),
    ground: { hidesX: true },
    hover: { axis: 'x', px: 8 },
    above: ({ x, y, area }) => {
      const path = curve.map((point) => [x(point.repetitions), y(scaled(point.difference))] as const);
      const ticks = xTicks.map((tick) =>
        label(String(tick), {
          x: x(tick),
          y: area.bottom + 12,
          anchor: 'middle',
          ...(tick === now?.repetitions
            ? { fill: palette.text, weight: 600 as const }
            : { fill: palette.text3 }),
        }),
      );
      const drawn = el('path', {
        d: pathThrough(path),
        fill: 'none',
        stroke: palette.text2,
        strokeWidth: 1.5,
      });
      if (!now || chosen === null) return [...ticks, drawn];
      const point = { x: x(chosen), y: y(scaled(now.difference)) };
      const isRight = point.x > resolutionSize.widthPx - valuePx;
      return [
        ...ticks,
        drawn,
        rule({ from: [point.x, area.bottom], to: [point.x, point.y], stroke: palette.accent }),
        el('circle', { cx: point.x, cy: point.y, r: 4, fill: palette.accent }),
        label(text, {
          x: point.x + (isRight ? -8 : 8),
          y: point.y - 10,
          anchor: isRight ? 'end' : 'start',
          weight: 500,
          fill: palette.text,
          halo: palette.surface,
        }),
      ];
    },
  };
}

/**
 * Returns the ticks: both ends, the chosen number, and some numbers between them that are far enough apart.
 */
export function resolutionTicks({
  from,
  to,
  now,
}: {
  from: number;
  to: number;
  now: number | null;
}): number[] {
  const apart = Math.max(1, (to - from) / 8);
  const ticks = [...new Set([...(now === null ? [] : [now]), from, to])].filter(
    (value, _i, all) => value === now || now === null || Math.abs(value - now) >= apart || all.length === 1,
  );
  for (let value = from; value <= to; value += 1) {
    if (ticks.every((other) => Math.abs(other - value) >= apart)) ticks.push(value);
  }
  return ticks.sort((a, b) => a - b);
}
