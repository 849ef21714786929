import { normalQuantile } from './normal.ts';
import { betaTails, logGamma } from './special.ts';

/** P(|T| >= |t|) of Student's t; NaN unless df > 0. */
export function tTwoSidedP(t: number, df: number): number {
  if (Math.abs(t) === Infinity) return df > 0 ? 0 : Number.NaN;
  const square = t * t;
  return betaTails({ a: df / 2, b: 0.5, x: df / (df + square), y: square / (df + square) }).lower;
}

/** Distribution function of Student's t; NaN unless df > 0. */
export function tCdf(t: number, df: number): number {
  const tail = tTwoSidedP(t, df) / 2;
  return t > 0 ? 1 - tail : tail;
}

/** t with P(|T| >= t) = p, for p in (0, 1]; NaN out of domain. */
export function tTwoSidedQuantile(p: number, df: number): number {
  if (!(p > 0 && p <= 1 && df > 0)) return Number.NaN;
  if (p === 1) return 0;
  if (df === 1) return 1 / Math.tan((Math.PI * p) / 2);
  if (df === 2) return Math.sqrt(2 / (p * (2 - p)) - 2);
  // Newton on ln P over ln t, kept inside a bracket; starts at the normal quantile.
  let low = 0;
  let high = Infinity;
  let t = Math.max(1e-8, -normalQuantile(p / 2));
  const logDensity = logGamma((df + 1) / 2) - logGamma(df / 2) - 0.5 * Math.log(df * Math.PI);
  for (let i = 0; i < 200; i += 1) {
    const tail = tTwoSidedP(t, df);
    if (tail > p) low = t;
    else high = t;
    const density = 2 * Math.exp(logDensity - ((df + 1) / 2) * Math.log1p((t * t) / df));
    let next = t * Math.exp(((Math.log(tail) - Math.log(p)) * tail) / (density * t));
    if (!(next > low && next < high)) next = high === Infinity ? t * 4 : (low + high) / 2;
    const step = Math.abs(next - t);
    t = next;
    if (step <= 2e-16 * t) break;
  }
  return t;
}

/** Quantile of Student's t; NaN out of domain. */
export function tQuantile(p: number, df: number): number {
  if (!(p >= 0 && p <= 1 && df > 0)) return Number.NaN;
  if (p === 0 || p === 1) return p === 0 ? -Infinity : Infinity;
  return p < 0.5 ? -tTwoSidedQuantile(2 * p, df) : tTwoSidedQuantile(2 * (1 - p), df);
}
