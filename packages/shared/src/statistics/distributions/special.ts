/**
 * Special functions in double precision. Relative error against 40-digit values: about 1e-14 up to
 * a + b = 1e4, 4e-12 at 1e5.
 * Prefactors use Loader's saddle-point form (C. Loader 2000, "Fast and accurate computation of binomial
 * probabilities"), so they stay accurate where gamma functions would cancel.
 */

const HALF_LOG_2PI = 0.9189385332046727;
const LANCZOS = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
  12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** Returns ln Gamma(x) for x > 0 (Lanczos, g = 7); NaN otherwise. */
export function logGamma(x: number): number {
  if (!(x > 0)) return Number.NaN;
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  if (x >= 15) return (x - 0.5) * Math.log(x) - x + HALF_LOG_2PI + stirlingError(x);
  const shifted = x - 1;
  let sum = LANCZOS[0]!;
  for (let i = 1; i < LANCZOS.length; i += 1) sum += LANCZOS[i]! / (shifted + i);
  const t = shifted + 7.5;
  return HALF_LOG_2PI + (shifted + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Returns the error of Stirling's formula for Gamma(x + 1): ln x! - [(x + 1/2) ln x - x + ln sqrt(2 pi)]. */
function stirlingError(x: number): number {
  if (x < 15) return logGamma(x + 1) - (x + 0.5) * Math.log(x) + x - HALF_LOG_2PI;
  const r = 1 / (x * x);
  const series = 1 / 1680 - r * (1 / 1188 - r * (691 / 360_360 - r / 156));
  return (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * series))) / x;
}

/** Returns the deviance x ln(x / m) + m - x without cancellation near x = m. */
function deviance(x: number, m: number): number {
  const d = x - m;
  if (Math.abs(d) >= 0.1 * (x + m)) return x * Math.log(x / m) - d;
  const v = d / (x + m);
  let sum = d * v;
  let term = 2 * x * v;
  for (let k = 3; k < 1000; k += 2) {
    term *= v * v;
    const next = sum + term / k;
    if (next === sum) break;
    sum = next;
  }
  return sum;
}

export interface Tails {
  lower: number;
  upper: number;
}

/** Returns the regularised incomplete gamma functions P(a, x) and Q(a, x); NaN unless a > 0 and x >= 0. */
export function gammaTails(a: number, x: number): Tails {
  if (!(a > 0 && x >= 0)) return { lower: Number.NaN, upper: Number.NaN };
  if (x === 0) return { lower: 0, upper: 1 };
  if (x === Infinity) return { lower: 1, upper: 0 };
  const front = Math.exp(-stirlingError(a) - deviance(a, x)) / Math.sqrt(2 * Math.PI * a);
  if (x < a + 1) {
    let term = 1;
    let sum = 1;
    for (let n = a + 1; term > sum * 1e-17; n += 1) {
      term *= x / n;
      sum += term;
    }
    const lower = Math.min(1, front * sum);
    return { lower, upper: 1 - lower };
  }
  const fraction = lentz(x + 1 - a, (i) => ({ a: -i * (i - a), b: x + 2 * i + 1 - a }));
  const upper = Math.min(1, (front * a) / fraction);
  return { lower: 1 - upper, upper };
}

interface BetaArguments {
  a: number;
  b: number;
  x: number;
  /** The value 1 - x; pass it if it is known more precisely than the subtraction would give. */
  y?: number;
}

/**
 * Returns the regularised incomplete beta function I_x(a, b) (`lower`) and 1 - I_x(a, b) (`upper`); NaN
 * outside the domain.
 */
export function betaTails({ a, b, x, y = 1 - x }: BetaArguments): Tails {
  if (!(a > 0 && b > 0 && x >= 0 && y >= 0)) return { lower: Number.NaN, upper: Number.NaN };
  if (x === 0) return { lower: 0, upper: 1 };
  if (y === 0) return { lower: 1, upper: 0 };
  if (x > (a + 1) / (a + b + 2)) {
    const { lower, upper } = betaTails({ a: b, b: a, x: y, y: x });
    return { lower: upper, upper: lower };
  }
  const n = a + b;
  const exponent =
    stirlingError(n) - stirlingError(a) - stirlingError(b) - deviance(a, n * x) - deviance(b, n * y);
  const front = Math.exp(exponent) * Math.sqrt(b / (2 * Math.PI * a * n));
  const fraction = lentz(1, (i) => {
    const m = i >> 1;
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (n + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    return { a: i % 2 === 0 ? even : odd, b: 1 };
  });
  const lower = Math.min(1, front / fraction);
  return { lower, upper: 1 - lower };
}

/** Evaluates the continued fraction b0 + a1 / (b1 + a2 / (b2 + ...)) with the modified Lentz method. */
function lentz(b0: number, term: (i: number) => { a: number; b: number }): number {
  const tiny = 1e-300;
  let f = b0 === 0 ? tiny : b0;
  let c = f;
  let d = 0;
  for (let i = 1; i < 100_000; i += 1) {
    const { a, b } = term(i);
    d = b + a * d;
    d = 1 / (d === 0 ? tiny : d);
    c = b + a / c;
    if (c === 0) c = tiny;
    const step = c * d;
    f *= step;
    if (Math.abs(step - 1) < 1e-16) break;
  }
  return f;
}

/** Numerators and denominators of W. J. Cody's rational approximations (1969), lowest power first. */
const ERF_SMALL = [
  [3209.377589138469, 377.485237685302, 113.86415415105016, 3.1611237438705655, 0.18577770618460315],
  [2844.236833439171, 1282.6165260773723, 244.02463793444417, 23.601290952344122, 1],
] as const;
const ERFC_MIDDLE = [
  [
    1230.3393547979972, 2051.0783778260716, 1712.0476126340707, 881.952221241769, 298.6351381974001,
    66.11919063714163, 8.883149794388377, 0.5641884969886701, 2.1531153547440383e-8,
  ],
  [
    1230.3393548037495, 3439.3676741437216, 4362.619090143247, 3290.7992357334597, 1621.3895745666903,
    537.1811018620099, 117.6939508913125, 15.744926110709835, 1,
  ],
] as const;
const ERFC_LARGE = [
  [
    6.587491615298378e-4, 0.016083785148742275, 0.12578172611122926, 0.36034489994980445, 0.30532663496123236,
    0.016315387137302097,
  ],
  [0.0023352049762686918, 0.06051834131244132, 0.5279051029514285, 1.8729528499234673, 2.568520192289822, 1],
] as const;

function ratioOfPolynomials(
  [top, bottom]: readonly [readonly number[], readonly number[]],
  x: number,
): number {
  let above = 0;
  let below = 0;
  for (let i = top.length - 1; i >= 0; i -= 1) {
    above = above * x + top[i]!;
    below = below * x + bottom[i]!;
  }
  return above / below;
}

/** Returns the complementary error function, with a relative error of about 1e-15. */
export function erfc(x: number): number {
  const size = Math.abs(x);
  if (size <= 0.46875) return 1 - x * ratioOfPolynomials(ERF_SMALL, x * x);
  // Below the smallest double.
  if (size > 27.3) return x > 0 ? 0 : 2;
  const tail = size <= 4 ? ratioOfPolynomials(ERFC_MIDDLE, size) : largeTail(size);
  const upper = expOfMinusSquare(size) * tail;
  return x > 0 ? upper : 2 - upper;
}

/** erfc(x) exp(x^2) for x > 4. */
function largeTail(x: number): number {
  const inverse = 1 / (x * x);
  return (1 / Math.sqrt(Math.PI) - inverse * ratioOfPolynomials(ERFC_LARGE, inverse)) / x;
}

/** Returns exp(-x^2), with the square split so that its rounding error is not amplified. */
function expOfMinusSquare(x: number): number {
  const head = Math.trunc(x * 16) / 16;
  return Math.exp(-head * head) * Math.exp(-(x - head) * (x + head));
}
