import { mean, variance } from '../descriptive/summary.ts';
import { chiSquareSf } from '../distributions/normal.ts';

/** Returns deviations from the mean; null if empty, constant or not finite. */
export function deviations(values: ArrayLike<number>): Float64Array | null {
  const centre = mean(values);
  if (centre === null || !(variance(values)! > 0)) return null;
  return Float64Array.from(values, (value) => value - centre);
}

/** Returns the sum of x[t] y[t - lag] over all t for which both exist. */
export function laggedProduct(x: Float64Array, y: Float64Array, lag: number): number {
  let total = 0;
  for (let t = lag; t < x.length; t += 1) total += x[t]! * y[t - lag]!;
  return total;
}

/**
 * Returns the autocorrelations r[0..maxLag] in biased form (statsmodels `acf(adjusted=False)`); null if
 * constant or not finite. Throws RangeError unless 0 <= maxLag < n.
 */
export function autocorrelation(values: ArrayLike<number>, maxLag?: number): number[] | null {
  const lags = maxLag ?? Math.min(60, values.length - 1);
  const e = deviations(values);
  if (e === null) return null;
  if (!Number.isInteger(lags) || lags < 0 || lags >= values.length) {
    throw new RangeError(`the lag must be 0 to ${values.length - 1}, got ${lags}`);
  }
  const total = laggedProduct(e, e, 0);
  return Array.from({ length: lags + 1 }, (_, lag) => (lag === 0 ? 1 : laggedProduct(e, e, lag) / total));
}

/**
 * Returns the partial autocorrelations [0..maxLag], computed with Levinson-Durbin recursion on the biased
 * autocorrelations (the Yule-Walker solution, statsmodels `ywm`); null if constant or not finite. Throws
 * RangeError if maxLag > n / 2.
 */
export function partialAutocorrelation(values: ArrayLike<number>, maxLag?: number): number[] | null {
  const most = Math.floor(values.length / 2);
  const lags = maxLag ?? Math.min(60, most);
  if (lags > most) throw new RangeError(`the lag must be at most half the length, got ${lags}`);
  const r = lags >= 1 ? autocorrelation(values, lags) : null;
  if (r === null) return null;
  const partial = [1];
  let phi: number[] = [];
  let error = 1;
  for (let k = 1; k <= lags; k += 1) {
    const explained = phi.reduce((total, coefficient, i) => total + coefficient * r[k - 1 - i]!, 0);
    const reflection = (r[k]! - explained) / error;
    phi = [...phi.map((coefficient, i) => coefficient - reflection * phi[k - 2 - i]!), reflection];
    error *= 1 - reflection * reflection;
    partial.push(reflection);
  }
  return partial;
}

/** Returns the half-width of the band that contains 95 % of the autocorrelations of n independent values. */
export function whiteNoiseBand95(n: number): number {
  return 1.959963984540054 / Math.sqrt(n);
}

export interface CrossCorrelation {
  /** r at lag k, for k = -maxLag..maxLag: correlation of x[t + k] with y[t], so k > 0 means x follows y. */
  lags: { lag: number; r: number }[];
  /** The lag with the largest |r|; if several are equal, the smallest |lag|. */
  strongest: { lag: number; r: number };
  /** 95 % band for unrelated series of which at least one is white noise. */
  band95: number;
}

/**
 * Returns the cross-correlation of two series on the same clock, in biased form; null if a series is
 * constant, empty or not finite. Throws RangeError on unequal lengths or a lag not in [0, n).
 */
export function crossCorrelation(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  maxLag: number,
): CrossCorrelation | null {
  if (x.length !== y.length)
    throw new RangeError(`series must have the same length, got ${x.length} and ${y.length}`);
  const ex = deviations(x);
  const ey = deviations(y);
  if (ex === null || ey === null) return null;
  if (!Number.isInteger(maxLag) || maxLag < 0 || maxLag >= x.length) {
    throw new RangeError(`the lag must be 0 to ${x.length - 1}, got ${maxLag}`);
  }
  const scale = Math.sqrt(laggedProduct(ex, ex, 0) * laggedProduct(ey, ey, 0));
  const lags = Array.from({ length: 2 * maxLag + 1 }, (_, i) => {
    const lag = i - maxLag;
    const product = lag >= 0 ? laggedProduct(ex, ey, lag) : laggedProduct(ey, ex, -lag);
    return { lag, r: product / scale };
  });
  const strongest = lags.reduce((best, point) => {
    const gain = Math.abs(point.r) - Math.abs(best.r);
    return gain > 0 || (gain === 0 && Math.abs(point.lag) < Math.abs(best.lag)) ? point : best;
  });
  return { lags, strongest, band95: 1.959963984540054 / Math.sqrt(x.length) };
}

export interface LjungBox {
  lag: number;
  q: number;
  p: number;
}

/**
 * Performs the Ljung-Box test for no autocorrelation up to `lag` (chi-square with `lag` degrees of freedom);
 * null if constant, not finite, or not longer than the lag.
 */
export function ljungBox(values: ArrayLike<number>, lag: number): LjungBox | null {
  const n = values.length;
  if (!Number.isInteger(lag) || lag < 1) throw new RangeError(`the lag must be >= 1, got ${lag}`);
  const r = lag <= n - 1 ? autocorrelation(values, lag) : null;
  if (r === null) return null;
  let total = 0;
  for (let k = 1; k <= lag; k += 1) total += r[k]! ** 2 / (n - k);
  const q = n * (n + 2) * total;
  return { lag, q, p: chiSquareSf(q, lag) };
}
