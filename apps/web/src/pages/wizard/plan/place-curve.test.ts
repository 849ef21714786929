import { describe, expect, it } from 'vitest';
import { chartBox, placeCurve } from './place-curve.ts';
import { makeResolutionView } from './resolution-curve.ts';

describe('placeCurve', () => {
  const { curve, now } = makeResolutionView({ scale: 'difference', mean: 1, sd: 1, contrasts: 10 }, 5);
  const placed = placeCurve({ curve, now });

  it('stays inside its box and falls to the right', () => {
    const points = [...placed.path.matchAll(/([\d.]+) ([\d.]+)/g)].map(
      ([, x, y]) => [Number(x), Number(y)] as const,
    );
    expect(points.length).toBe(curve.length);
    for (const [i, [x, y]] of points.entries()) {
      expect(x).toBeGreaterThanOrEqual(chartBox.left);
      expect(x).toBeLessThanOrEqual(chartBox.widthPx);
      expect(y).toBeGreaterThanOrEqual(chartBox.top - 0.1);
      expect(y).toBeGreaterThan(points[i - 1]?.[1] ?? 0);
    }
  });

  it('begins its axis at zero and marks the chosen number', () => {
    expect(placed.yTicks[0]).toEqual({ value: 0, at: placed.ground });
    expect(placed.xTicks.map((tick) => tick.value)).toContain(5);
    expect(placed.xTicks.find((tick) => tick.value === 5)?.at).toBe(placed.now?.x);
  });

  it('keeps a number beyond the curve at its edge', () => {
    const wide = placeCurve({ curve, now: { repetitions: 2, difference: 9 } });
    expect(wide.now?.x).toBe(chartBox.left);
  });
});
