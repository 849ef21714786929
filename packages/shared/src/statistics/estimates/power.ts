import { normalCdf, normalQuantile, tTwoSidedQuantile } from '../distributions/normal.ts';
import { logGamma } from '../distributions/special.ts';

export interface ResolutionQuestion {
  /** Runs per treatment. */
  repetitions: number;
  /** Run-to-run standard deviation of the response, in its unit. */
  sd: number;
  /** Number of declared contrasts; alpha is divided by it (Bonferroni: Holm's strictest step). */
  contrasts?: number;
  alpha?: number;
  power?: number;
}

/**
 * Smallest difference of two treatment means, in the unit of `sd`, that a two-sided two-sample t test with
 * equal variances finds with the given power. Uses the non-central t distribution by numerical integration;
 * the far rejection tail (wrong sign, below 1e-4 of the power) is left out.
 * Null below two repetitions or without a valid sd. Throws RangeError on alpha, power or contrasts.
 */
export function smallestResolvableDifference(question: ResolutionQuestion): number | null {
  const { repetitions, sd, contrasts = 1, alpha = 0.05, power = 0.8 } = question;
  if (!(alpha > 0 && alpha < 1) || !(power > 0.5 && power < 1)) {
    throw new RangeError(`alpha must be in (0, 1) and power in (0.5, 1), got ${alpha} and ${power}`);
  }
  if (!Number.isInteger(contrasts) || contrasts < 1) throw new RangeError(`bad contrasts: ${contrasts}`);
  if (!Number.isInteger(repetitions) || repetitions < 2 || !(sd >= 0 && sd < Infinity)) return null;
  const df = 2 * (repetitions - 1);
  const tCrit = tTwoSidedQuantile(alpha / contrasts, df);
  const wanted = normalQuantile(power);
  // The normal quantile of the power is nearly linear in the non-centrality: a few secant steps suffice.
  let noncentrality = tCrit + wanted;
  let slope = 1;
  for (let i = 0; i < 30; i += 1) {
    const gap = wanted - normalQuantile(tTestPower(noncentrality, tCrit, df));
    const next = noncentrality + gap / slope;
    if (!(Math.abs(next - noncentrality) > 1e-10 * noncentrality)) break;
    const gapAtNext = wanted - normalQuantile(tTestPower(next, tCrit, df));
    slope = Math.max(0.01, (gap - gapAtNext) / (next - noncentrality));
    noncentrality = next;
  }
  return noncentrality * sd * Math.sqrt(2 / repetitions);
}

/**
 * P(T > tCrit) for non-central t with `noncentrality` and `df`: the mean of Phi(noncentrality - tCrit s) over
 * s = sqrt(chi2 / df), by Simpson's rule in ln s where the integrand is smooth and bell-shaped.
 */
export function tTestPower(noncentrality: number, tCrit: number, df: number): number {
  if (!(df > 0) || !Number.isFinite(noncentrality) || !Number.isFinite(tCrit)) return Number.NaN;
  const logFront = Math.log(2) + (df / 2) * Math.log(df / 2) - logGamma(df / 2);
  const spread = 9 / Math.sqrt(2 * df);
  const from = -Math.max(spread, 28 / df);
  const to = Math.min(spread, Math.log(1 + 12 / Math.sqrt(df)));
  const steps = 800;
  const width = (to - from) / steps;
  let total = 0;
  for (let i = 0; i <= steps; i += 1) {
    const logS = from + i * width;
    const s = Math.exp(logS);
    const density = Math.exp(logFront + df * logS - (df / 2) * s * s);
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    total += weight * density * normalCdf(noncentrality - tCrit * s);
  }
  return (total * width) / 3;
}
