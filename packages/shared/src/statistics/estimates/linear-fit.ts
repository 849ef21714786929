import { allFinite, mean } from '../descriptive/summary.ts';
import { tTwoSidedP, tTwoSidedQuantile } from '../distributions/normal.ts';
import { checkLevel } from './interval.ts';

export interface LinearFit {
  n: number;
  df: number;
  slope: number;
  intercept: number;
  seSlope: number;
  seIntercept: number;
  /** Two-sided p-value for a slope of 0. */
  p: number;
  residualSd: number;
  r2: number;
  meanX: number;
  sumSquaresX: number;
}

/**
 * Fits an ordinary least-squares line; null for fewer than three points, or if x or y is constant or not
 * finite. Throws RangeError on unequal lengths.
 */
export function fitLine(x: ArrayLike<number>, y: ArrayLike<number>): LinearFit | null {
  if (x.length !== y.length)
    throw new RangeError(`x and y must have the same length, got ${x.length} and ${y.length}`);
  const n = x.length;
  if (n < 3 || !allFinite(x) || !allFinite(y)) return null;
  const [meanX, meanY] = [mean(x)!, mean(y)!];
  let [sxx, sxy, syy] = [0, 0, 0];
  for (let i = 0; i < n; i += 1) {
    const [dx, dy] = [x[i]! - meanX, y[i]! - meanY];
    sxx += dx * dx;
    sxy += dx * dy;
    syy += dy * dy;
  }
  if (!(sxx > 0 && syy > 0)) return null;
  const slope = sxy / sxx;
  let ssr = 0;
  for (let i = 0; i < n; i += 1) ssr += (y[i]! - meanY - slope * (x[i]! - meanX)) ** 2;
  const df = n - 2;
  const residualSd = Math.sqrt(ssr / df);
  const seSlope = residualSd / Math.sqrt(sxx);
  return {
    n,
    df,
    slope,
    intercept: meanY - slope * meanX,
    seSlope,
    seIntercept: residualSd * Math.sqrt(1 / n + (meanX * meanX) / sxx),
    p: seSlope > 0 ? tTwoSidedP(slope / seSlope, df) : 0,
    residualSd,
    r2: 1 - ssr / syy,
    meanX,
    sumSquaresX: sxx,
  };
}

export interface LinePoint {
  x: number;
  y: number;
  /** Confidence band of the line. */
  lo: number;
  hi: number;
  /** Prediction band for a new value. */
  newLo: number;
  newHi: number;
}

/** Returns the line with its pointwise bands at x. */
export function lineAt(fit: LinearFit, x: number, level = 0.95): LinePoint {
  checkLevel(level);
  const t = tTwoSidedQuantile(1 - level, fit.df);
  const leverage = 1 / fit.n + (x - fit.meanX) ** 2 / fit.sumSquaresX;
  const y = fit.intercept + fit.slope * x;
  const half = t * fit.residualSd * Math.sqrt(leverage);
  const halfNew = t * fit.residualSd * Math.sqrt(1 + leverage);
  return { x, y, lo: y - half, hi: y + half, newLo: y - halfNew, newHi: y + halfNew };
}

/**
 * Returns where the line reaches `limit`, such as the rate at which the CPU saturates, with Fieller's
 * interval (the x whose confidence band contains the limit). Null if the slope is not significant at this
 * level, because every rate is then possible.
 */
export function predictCrossing(
  fit: LinearFit,
  limit: number,
  level = 0.95,
): { x: number; lo: number; hi: number } | null {
  checkLevel(level);
  const t = tTwoSidedQuantile(1 - level, fit.df);
  const x = (limit - fit.intercept) / fit.slope;
  const a = fit.slope ** 2 - (t * fit.seSlope) ** 2;
  if (!(a > 0) || !Number.isFinite(x)) return null;
  const offset = limit - (fit.intercept + fit.slope * fit.meanX);
  const root = t * fit.residualSd * Math.sqrt(offset ** 2 / fit.sumSquaresX + a / fit.n);
  const ends = [(fit.slope * offset - root) / a, (fit.slope * offset + root) / a];
  return { x, lo: fit.meanX + Math.min(...ends), hi: fit.meanX + Math.max(...ends) };
}
