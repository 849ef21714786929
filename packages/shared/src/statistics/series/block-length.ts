import { deviations, laggedProduct } from './autocorrelation.ts';

export interface BlockLength {
  /** For the stationary and the circular bootstrap; may be below 1 for white noise. */
  stationary: number;
  circular: number;
  /** Block length to use: `circular` rounded up, at least 1. */
  circularCeil: number;
  /** True if the cap `bMax` was reached, which indicates a trend or transient. */
  capped: boolean;
  m: number;
  kn: number;
  mMax: number;
  bMax: number;
  band: number;
  g: number;
  longRunVariance: number;
  firstInsignificantWindowLag: number | null;
  uncappedStationary: number;
  uncappedCircular: number;
}

/**
 * Returns the automatic block length for the block bootstrap of a mean: Politis & White 2004 with the
 * correction of Patton, Politis & White 2009, step by step as in `arch.bootstrap.optimal_block_length` 8.0.
 * Null if constant, not finite, or too short.
 */
export function optimalBlockLength(values: ArrayLike<number>): BlockLength | null {
  const n = values.length;
  const e = deviations(values);
  const kn = Math.max(5, Math.trunc(Math.log10(n)));
  const mMax = Math.ceil(Math.sqrt(n)) + kn;
  if (e === null || mMax > n) return null;
  const bMax = Math.ceil(Math.min(3 * Math.sqrt(n), n / 3));
  const band = 2 * Math.sqrt(Math.log10(n) / n);
  const products = Array.from({ length: mMax + 1 }, (_, i) => laggedProduct(e, e, i));
  const opt = firstQuietWindow(correlationSizes(e, products), { kn, band });
  const m = opt === null ? mMax : Math.min(2 * Math.max(opt, 1), mMax);
  let g = 0;
  let s = products[0]! / n;
  for (let k = 1; k <= m; k += 1) {
    const lambda = k / m <= 0.5 ? 1 : 2 * (1 - k / m);
    g += (2 * lambda * k * products[k]!) / n;
    s += (2 * lambda * products[k]!) / n;
  }
  const uncappedStationary = Math.cbrt((2 * g * g) / (2 * s * s)) * Math.cbrt(n);
  const uncappedCircular = Math.cbrt((2 * g * g) / ((4 / 3) * s * s)) * Math.cbrt(n);
  if (!Number.isFinite(uncappedCircular)) return null;
  const circular = Math.min(uncappedCircular, bMax);
  return {
    stationary: Math.min(uncappedStationary, bMax),
    circular,
    circularCeil: Math.max(1, Math.ceil(circular)),
    capped: uncappedCircular > bMax,
    m,
    kn,
    mMax,
    bMax,
    band,
    g,
    longRunVariance: s,
    firstInsignificantWindowLag: opt,
    uncappedStationary,
    uncappedCircular,
  };
}

/** Returns |autocorrelation| with arch's own scaling: by the squares from i + 1 on and up to n - i - 2. */
function correlationSizes(e: Float64Array, products: readonly number[]): number[] {
  const n = e.length;
  const before = new Float64Array(n + 1);
  const from = new Float64Array(n + 1);
  for (let t = 0; t < n; t += 1) before[t + 1] = before[t]! + e[t]! ** 2;
  for (let t = n - 1; t >= 0; t -= 1) from[t] = from[t + 1]! + e[t]! ** 2;
  return products.map((product, i) =>
    i + 1 < n ? Math.abs(product) / Math.sqrt(from[i + 1]! * before[n - i - 1]!) : Number.NaN,
  );
}

/** Returns the start of the first `kn` neighbouring correlations that are all inside the band. */
function firstQuietWindow(rho: readonly number[], { kn, band }: { kn: number; band: number }): number | null {
  for (let i = kn; i < rho.length; i += 1) {
    if (rho.slice(i - kn, i).every((value) => value < band)) return i - kn;
  }
  return null;
}
