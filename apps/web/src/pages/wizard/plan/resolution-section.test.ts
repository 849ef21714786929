import { describe, expect, it } from 'vitest';
import { chartBox, makeResolutionView, placeCurve, spread } from './resolution-section.tsx';

const spreadOf = (sdOfDifferences: number) =>
  ({ scale: 'difference', sdOfDifferences, level: 0.95 }) as const;

describe('makeResolutionView', () => {
  it('tells smaller differences apart with more repetitions', () => {
    const { curve, now } = makeResolutionView({ ...spreadOf(2), contrasts: 3 }, 5);
    expect(curve[0]?.repetitions).toBe(3);
    expect(curve.at(-1)?.repetitions).toBe(10);
    for (const [i, point] of curve.entries()) {
      expect(point.difference).toBeLessThan(curve[i - 1]?.difference ?? Number.POSITIVE_INFINITY);
    }
    expect(now).toEqual(curve.find((point) => point.repetitions === 5));
  });

  it('agrees with a table of the paired t test: 10 pairs find one standard deviation', () => {
    // G*Power 3.1: dz = 1, alpha 0.05 two-sided, power 0.80 needs 10 pairs.
    const { now } = makeResolutionView({ ...spreadOf(1), contrasts: 1 }, 10);
    expect(now?.difference).toBeGreaterThan(0.97);
    expect(now?.difference).toBeLessThan(1);
  });

  it('says nothing of a single repetition, and takes no contrast for one', () => {
    expect(makeResolutionView({ ...spreadOf(1), contrasts: 1 }, 1).now).toBeNull();
    expect(makeResolutionView({ ...spreadOf(1), contrasts: 0 }, 5)).toEqual(
      makeResolutionView({ ...spreadOf(1), contrasts: 1 }, 5),
    );
  });
});

describe('spread', () => {
  it('is every number of a short range and some of a long one', () => {
    expect(spread(3, 6)).toEqual([3, 4, 5, 6]);
    const long = spread(3, 1600);
    expect(long.length).toBe(24);
    expect([long[0], long.at(-1)]).toEqual([3, 1600]);
  });
});

describe('placeCurve', () => {
  const { curve, now } = makeResolutionView({ ...spreadOf(1), contrasts: 10 }, 5);
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
