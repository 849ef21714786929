import { betaTails, erfc, gammaTails, logGamma } from './special.ts';

/** Returns the standard normal distribution function at z. */
export function normalCdf(z: number): number {
  return 0.5 * erfc(-z / Math.SQRT2);
}

const CENTRE: Rational = [
  [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
    67265.7709270087, 33430.57558358813, 2509.0809287301227,
  ],
  [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852546,
  ],
];
const SHOULDER: Rational = [
  [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
];
const TAIL: Rational = [
  [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
  ],
  [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
    1.8463183175100548e-5, 1.421511758316446e-7, 2.0442631033899397e-15,
  ],
];

type Rational = readonly [readonly number[], readonly number[]];

function evaluate([top, bottom]: Rational, x: number): number {
  return top.reduceRight((sum, c) => sum * x + c, 0) / bottom.reduceRight((sum, c) => sum * x + c, 0);
}

/** Returns the standard normal quantile (Wichura 1988, algorithm AS 241, about 1e-16); NaN outside [0, 1]. */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) return Number.NaN;
  if (p === 0 || p === 1) return p === 0 ? -Infinity : Infinity;
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * evaluate(CENTRE, 0.180625 - q * q);
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  const z = r <= 5 ? evaluate(SHOULDER, r - 1.6) : evaluate(TAIL, r - 5);
  return q < 0 ? -z : z;
}

/** Returns the two-sided p-value of a standard normal statistic. */
export function normalTwoSidedP(z: number): number {
  return Math.min(1, erfc(Math.abs(z) / Math.SQRT2));
}

/** Returns P(|T| >= |t|) for Student's t; NaN unless df > 0. */
export function tTwoSidedP(t: number, df: number): number {
  if (Math.abs(t) === Infinity) return df > 0 ? 0 : Number.NaN;
  const square = t * t;
  return betaTails({ a: df / 2, b: 0.5, x: df / (df + square), y: square / (df + square) }).lower;
}

/**
 * Cached quantiles by p and integer degrees of freedom, because an analysis uses a few of them thousands of
 * times.
 */
const knownQuantiles = new Map<number, Map<number, number>>();
/** Limits of the cache: df must be below this, and at most this many values of p are cached. */
const mostKnown = 200;

/** Returns t with P(|T| >= t) = p, for p in (0, 1]; NaN outside the domain. */
export function tTwoSidedQuantile(p: number, df: number): number {
  if (!(p > 0 && p <= 1 && df > 0)) return Number.NaN;
  if (p === 1) return 0;
  if (df === 1) return 1 / Math.tan((Math.PI * p) / 2);
  if (df === 2) return Math.sqrt(2 / (p * (2 - p)) - 2);
  const known = knownQuantiles.get(p)?.get(df);
  if (known !== undefined) return known;
  const found = solveQuantile(p, df);
  if (Number.isInteger(df) && df < mostKnown && knownQuantiles.size < mostKnown) {
    const ofLevel = knownQuantiles.get(p) ?? new Map<number, number>();
    knownQuantiles.set(p, ofLevel.set(df, found));
  }
  return found;
}

function solveQuantile(p: number, df: number): number {
  // Newton's method on ln P over ln t, kept inside a bracket; starts at the normal quantile.
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

/** Returns P(X >= x) for the chi-square distribution; NaN outside the domain. */
export function chiSquareSf(x: number, df: number): number {
  return gammaTails(df / 2, x / 2).upper;
}
