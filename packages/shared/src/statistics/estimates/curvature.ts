import { allFinite, mean } from '../descriptive/summary.ts';

export interface Parabola {
  /** Slope of the chord over the range of x. */
  slope: number;
  /** Coefficient of x². */
  square: number;
  /** Rise from the smallest to the largest x. */
  rise: number;
  /**
   * Height of the parabola above its chord in the middle of the range, as a share of the rise: 0 for a
   * straight line, positive if the curve flattens. null without a rise.
   */
  bend: number | null;
}

/**
 * Fits a least-squares parabola; null for fewer than three different x or if a value is not finite. Throws
 * RangeError on unequal lengths.
 */
export function fitParabola(x: ArrayLike<number>, y: ArrayLike<number>): Parabola | null {
  if (x.length !== y.length)
    throw new RangeError(`x and y must have the same length, got ${x.length}, ${y.length}`);
  if (!allFinite(x) || !allFinite(y) || new Set(Array.from(x)).size < 3) return null;
  const [min, max] = [Math.min(...Array.from(x)), Math.max(...Array.from(x))];
  // x is scaled to -1 to 1, and regression makes the square orthogonal to the constant and the line.
  const u = Array.from(x, (value) => (2 * (value - min)) / (max - min) - 1);
  const v = residualsOf(
    u.map((value) => value * value),
    u,
  );
  const residuals = residualsOf(Array.from(y), u);
  const squares = v.reduce((sum, value) => sum + value * value, 0);
  const c = v.reduce((sum, value, i) => sum + value * residuals[i]!, 0) / squares;
  const rest = Array.from(y, (value, i) => value - c * u[i]! ** 2);
  const half = slopeOf(u, rest);
  const rise = 2 * half;
  return {
    slope: rise / (max - min),
    square: (4 * c) / (max - min) ** 2,
    rise,
    bend: rise === 0 ? null : -c / rise,
  };
}

function slopeOf(x: readonly number[], y: readonly number[]): number {
  const [mx, my] = [mean(x)!, mean(y)!];
  let [sxx, sxy] = [0, 0];
  x.forEach((value, i) => {
    sxx += (value - mx) ** 2;
    sxy += (value - mx) * (y[i]! - my);
  });
  return sxy / sxx;
}

/** Returns the residuals of y from a straight line over x. */
function residualsOf(y: readonly number[], x: readonly number[]): number[] {
  const slope = slopeOf(x, y);
  const [mx, my] = [mean(x)!, mean(y)!];
  return y.map((value, i) => value - my - slope * (x[i]! - mx));
}
