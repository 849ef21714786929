import { allFinite, mean } from '../descriptive/summary.ts';
import { laggedProduct } from './autocorrelation.ts';

export interface ChangePoint {
  /** Index of the first value after the change. */
  index: number;
  meanBefore: number;
  meanAfter: number;
  /** Share of the sum of squares that the step explains. */
  explained: number;
  /** p-value for a constant mean: CUSUM test, Kolmogorov limit, corrected for the length of the series. */
  p: number;
}

/**
 * Finds the best single step in the mean by least squares, for example the end of the handshake in a current
 * trace. The p-value accounts for short memory. Returns null if the values are constant, not finite, or
 * shorter than two segments.
 */
export function findChangePoint(values: ArrayLike<number>, minSegment = 3): ChangePoint | null {
  const n = values.length;
  if (!Number.isInteger(minSegment) || minSegment < 1) throw new RangeError(`bad minSegment: ${minSegment}`);
  if (n < 2 * minSegment || !allFinite(values)) return null;
  const centre = mean(values)!;
  const cumulative = new Float64Array(n + 1);
  let squares = 0;
  for (let t = 0; t < n; t += 1) {
    const e = values[t]! - centre;
    cumulative[t + 1] = cumulative[t]! + e;
    squares += e * e;
  }
  let index = 0;
  let gain = 0;
  for (let k = minSegment; k <= n - minSegment; k += 1) {
    const between = cumulative[k]! ** 2 * (1 / k + 1 / (n - k));
    if (between > gain) [index, gain] = [k, between];
  }
  if (index === 0) return null;
  const shiftBefore = cumulative[index]! / index;
  const shiftAfter = -cumulative[index]! / (n - index);
  const residuals = Float64Array.from(
    { length: n },
    (_, t) => values[t]! - centre - (t < index ? shiftBefore : shiftAfter),
  );
  const range = cumulative.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const { variance, phi } = longRunVariance(residuals);
  const spread = Math.sqrt(n * variance) * shortSeriesFactor(n, phi);
  return {
    index,
    meanBefore: centre + shiftBefore,
    meanAfter: centre + shiftAfter,
    explained: Math.min(1, gain / squares),
    p: spread > 0 ? kolmogorovSf(range / spread) : 0,
  };
}

/**
 * Returns by how much the statistic exceeds its limit distribution in a series of `n` values. The residuals
 * of the best step vary less than the values around a constant mean; the effect increases for shorter series
 * and longer memory. Fitted to simulated AR(1) series with phi 0 to 0.8. With this correction, p < 0.05
 * occurs in 3 to 6 % of constant series of 60 to 600 values (without it in 5 to 19 %), and in up to 13 % of
 * series of 20 to 30 values with phi 0.8 (without it in 42 %).
 */
function shortSeriesFactor(n: number, phi: number): number {
  return 1 + 15 / (1 - Math.max(0, phi) ** 1.5) / n;
}

/**
 * Returns the variance of the mean times n. Prewhitened by an AR(1) fit (Andrews & Monahan 1992), because
 * Bartlett weights alone are too small for series with memory.
 */
function longRunVariance(e: Float64Array): { variance: number; phi: number } {
  const n = e.length;
  const memory = laggedProduct(e, e, 1) / laggedProduct(e, e, 0);
  const phi = Number.isFinite(memory) ? Math.min(0.97, Math.max(-0.97, memory + (1 + 4 * memory) / n)) : 0;
  const innovations = Float64Array.from({ length: n - 1 }, (_, t) => e[t + 1]! - phi * e[t]!);
  const bandwidth = Math.floor(Math.cbrt(n));
  let total = laggedProduct(innovations, innovations, 0);
  for (let lag = 1; lag <= bandwidth; lag += 1) {
    total += 2 * (1 - lag / (bandwidth + 1)) * laggedProduct(innovations, innovations, lag);
  }
  return { variance: Math.max(0, total) / (n - 1) / (1 - phi) ** 2, phi };
}

/** P(sup |Brownian bridge| > x). */
export function kolmogorovSf(x: number): number {
  if (!(x > 0)) return 1;
  if (x < 0.6) {
    // The theta-function form converges when the alternating series does not.
    let cdf = 0;
    for (let k = 1; k <= 5; k += 1) cdf += Math.exp((-((2 * k - 1) ** 2) * Math.PI ** 2) / (8 * x * x));
    return Math.max(0, 1 - (Math.sqrt(2 * Math.PI) / x) * cdf);
  }
  let total = 0;
  for (let k = 1; k <= 20; k += 1) total += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * x * x);
  return Math.min(1, Math.max(0, total));
}
