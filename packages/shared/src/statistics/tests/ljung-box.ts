import { chiSquareSf } from '../distributions/chi-square.ts';
import { autocorrelation } from '../series/autocorrelation.ts';

export interface LjungBox {
  lag: number;
  q: number;
  p: number;
}

/**
 * Ljung-Box test of no autocorrelation up to `lag` (chi-square with `lag` degrees of freedom);
 * null when constant, not finite, or not longer than the lag.
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
