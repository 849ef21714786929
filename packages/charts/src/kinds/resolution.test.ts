import { describe, expect, it } from 'vitest';
import { figureLayers } from '../drawing/figure.ts';
import { printPalette } from '../drawing/palette.ts';
import {
  describeResolutionCurve,
  makeResolutionCurve,
  type ResolutionCurve,
  resolutionSize,
  resolutionTicks,
  spread,
} from './resolution.ts';

const spreadOf = (sdOfDifferences: number) =>
  ({ scale: 'difference', sdOfDifferences, level: 0.95 }) as const;

describe('makeResolutionCurve', () => {
  it('detects smaller differences with more repetitions', () => {
    const { curve, now } = makeResolutionCurve({ ...spreadOf(2), contrasts: 3 }, 5);
    expect(curve[0]?.repetitions).toBe(3);
    expect(curve.at(-1)?.repetitions).toBe(10);
    for (const [i, point] of curve.entries()) {
      expect(point.difference).toBeLessThan(curve[i - 1]?.difference ?? Number.POSITIVE_INFINITY);
    }
    expect(now).toEqual(curve.find((point) => point.repetitions === 5));
  });

  it('agrees with a table of the paired t test: 10 pairs find one standard deviation', () => {
    // G*Power 3.1: dz = 1, alpha 0.05 two-sided, power 0.80 needs 10 pairs.
    const { now } = makeResolutionCurve({ ...spreadOf(1), contrasts: 1 }, 10);
    expect(now?.difference).toBeGreaterThan(0.97);
    expect(now?.difference).toBeLessThan(1);
  });

  it('has no value for a single repetition, and counts no contrast as one', () => {
    expect(makeResolutionCurve({ ...spreadOf(1), contrasts: 1 }, 1).now).toBeNull();
    expect(makeResolutionCurve({ ...spreadOf(1), contrasts: 0 }, 5)).toEqual(
      makeResolutionCurve({ ...spreadOf(1), contrasts: 1 }, 5),
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

describe('describeResolutionCurve', () => {
  const { curve, now } = makeResolutionCurve({ ...spreadOf(1), contrasts: 10 }, 5);
  const drawn = (view: ResolutionCurve) => {
    const figure = describeResolutionCurve(printPalette, { ...view, unit: 'ms' });
    const size = { width: resolutionSize.widthPx, height: figure.heightPx };
    const { above, below } = figureLayers(figure, printPalette, size);
    const points = [
      ...String(above.find(({ tag }) => tag === 'path')?.attrs.d).matchAll(/([\d.]+) ([\d.]+)/g),
    ].map(([, x, y]) => [Number(x), Number(y)] as const);
    const texts = [...below, ...above].filter(({ tag }) => tag === 'text');
    return { figure, points, point: above.find(({ tag }) => tag === 'circle'), texts };
  };
  const { figure, points, point, texts } = drawn({ curve, now });

  it('stays inside its box and falls to the right', () => {
    expect(points.length).toBe(curve.length);
    for (const [i, [x, y]] of points.entries()) {
      expect(x).toBeGreaterThanOrEqual(figure.margins.left);
      expect(x).toBeLessThanOrEqual(resolutionSize.widthPx);
      expect(y).toBeGreaterThanOrEqual(figure.margins.top - 0.1);
      expect(y).toBeGreaterThan(points[i - 1]?.[1] ?? 0);
    }
  });

  it('begins its axis at zero and marks the chosen number', () => {
    expect(figure.y.ticks[0]).toBe(0);
    expect(figure.y.min).toBe(0);
    expect(resolutionTicks({ from: 3, to: 10, now: 5 })).toContain(5);
    expect(texts.some(({ children, attrs }) => children[0] === '5' && attrs.x === point?.attrs.cx)).toBe(
      true,
    );
  });

  it('keeps a number beyond the curve at its edge', () => {
    expect(drawn({ curve, now: { repetitions: 2, difference: 9 } }).point?.attrs.cx).toBe(
      figure.margins.left,
    );
  });
});
