import { describe, expect, it } from 'vitest';
import { fitParabola } from './curvature.ts';

describe('fitParabola', () => {
  it('finds an exact parabola', () => {
    // y = 3 + 2x - x²/2 from 0 to 2: the chord rises from 3 to 5, and the middle is 4.5 instead of 4.
    const found = fitParabola([0, 1, 2], [3, 4.5, 5]);
    expect(found?.square).toBeCloseTo(-0.5, 12);
    expect(found?.rise).toBeCloseTo(2, 12);
    expect(found?.slope).toBeCloseTo(1, 12);
    expect(found?.bend).toBeCloseTo(0.25, 12);
  });

  it('fits more points than it has coefficients by least squares', () => {
    // Normal equations of a parabola over x = -2..2, where odd sums vanish.
    const x = [-2, -1, 0, 1, 2];
    const y = [1, 1, 2, 4, 9];
    const [n, sx2, sx4] = [5, 10, 34];
    const sy = 17;
    const sx2y = 4 + 1 + 0 + 4 + 36;
    const c = (n * sx2y - sx2 * sy) / (n * sx4 - sx2 ** 2);
    const b = (-2 - 1 + 4 + 18) / sx2;
    const found = fitParabola(x, y);
    expect(found?.square).toBeCloseTo(c, 12);
    expect(found?.slope).toBeCloseTo(b, 12);
  });

  it('does not bend on a line, whatever the spacing, and needs three places', () => {
    expect(fitParabola([10, 50, 100, 10], [1, 5, 10, 1])?.bend).toBeCloseTo(0, 12);
    expect(fitParabola([1, 2, 2], [1, 2, 3])).toBeNull();
    expect(fitParabola([1, 2, 3], [2, 2, 2])?.bend).toBeNull();
    expect(() => fitParabola([1], [])).toThrow(RangeError);
  });
});
