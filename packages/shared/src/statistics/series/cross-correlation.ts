import { deviations, laggedProduct } from './autocorrelation.ts';

export interface CrossCorrelation {
  /** r at lag k, for k = -maxLag..maxLag: correlation of x[t + k] with y[t], so k > 0 means x follows y. */
  lags: { lag: number; r: number }[];
  /** The lag with the largest |r|, the smallest |lag| among equals. */
  strongest: { lag: number; r: number };
  /** 95 % band if the series were unrelated and at least one of them white. */
  band95: number;
}

/**
 * Cross-correlation of two series on the same clock, biased form; null when a series is constant, empty or
 * not finite. Throws RangeError on unequal lengths or a lag not in [0, n).
 */
export function crossCorrelation(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  maxLag: number,
): CrossCorrelation | null {
  if (x.length !== y.length)
    throw new RangeError(`series must be equally long, got ${x.length} and ${y.length}`);
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
