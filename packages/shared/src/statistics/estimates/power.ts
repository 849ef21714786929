import { normalCdf, normalQuantile, tTwoSidedQuantile } from '../distributions/normal.ts';
import { gammaTails, logGamma } from '../distributions/special.ts';

export interface DetectableDifferenceQuestion {
  /** Number of pairs: repetitions in which both treatments are measured. */
  repetitions: number;
  /** Standard deviation of the differences within repetitions. */
  sdOfDifferences: number;
  /**
   * Number of contrasts in the family; alpha is divided by it (Bonferroni, the strictest step of Holm's
   * procedure).
   */
  contrasts?: number;
  alpha?: number;
  power?: number;
}

/**
 * Returns the smallest mean difference, in the unit of `sdOfDifferences`, that a two-sided paired t test
 * detects with the given power. Uses the non-central t distribution by numerical integration, without the far
 * rejection tail (wrong sign, below 1e-4 of the power). Null for fewer than two repetitions or without a
 * valid sd. Throws RangeError if alpha, power or contrasts are invalid.
 */
export function smallestDetectableDifference(question: DetectableDifferenceQuestion): number | null {
  const { repetitions, sdOfDifferences: sd, contrasts = 1, alpha = 0.05, power = 0.8 } = question;
  if (!(alpha > 0 && alpha < 1) || !(power > 0.5 && power < 1)) {
    throw new RangeError(`alpha must be in (0, 1) and power in (0.5, 1), got ${alpha} and ${power}`);
  }
  if (!Number.isInteger(contrasts) || contrasts < 1) throw new RangeError(`bad contrasts: ${contrasts}`);
  if (!Number.isInteger(repetitions) || repetitions < 2 || !(sd >= 0 && sd < Infinity)) return null;
  const df = repetitions - 1;
  const tCrit = tTwoSidedQuantile(alpha / contrasts, df);
  const wanted = normalQuantile(power);
  // The normal quantile of the power is nearly linear in the non-centrality, so a few secant steps are
  // enough.
  let noncentrality = tCrit + wanted;
  let slope = 1;
  for (let i = 0; i < 60; i += 1) {
    const gap = wanted - normalQuantile(tTestPower(noncentrality, tCrit, df));
    const next = noncentrality + gap / slope;
    if (!(Math.abs(next - noncentrality) > 1e-12 * noncentrality)) break;
    const gapAtNext = wanted - normalQuantile(tTestPower(next, tCrit, df));
    slope = Math.max(0.01, (gap - gapAtNext) / (next - noncentrality));
    noncentrality = next;
  }
  return (noncentrality * sd) / Math.sqrt(repetitions);
}

/** From this non-centrality on, the integrand over ln s is narrower than its steps. */
const largeNoncentrality = 10;
/** Phi(-39) is zero in double precision. */
const certain = 39;

/**
 * Returns P(T > tCrit) for non-central t with `noncentrality` and `df`: the mean of Phi(noncentrality - tCrit
 * s) over s = sqrt(chi2 / df), computed with the trapezoidal rule in ln s. The integrand is smooth and
 * vanishes at both ends, so two nodes per width of its sharpest feature give full precision. A large
 * non-centrality is integrated over the normal deviate instead.
 */
export function tTestPower(noncentrality: number, tCrit: number, df: number): number {
  if (!(df > 0) || !Number.isFinite(noncentrality) || !Number.isFinite(tCrit)) return Number.NaN;
  if (noncentrality < -certain && tCrit >= 0) return 0;
  if (noncentrality > certain && tCrit <= 0) return 1;
  if (noncentrality > largeNoncentrality && tCrit > 0) return powerOverNormal(noncentrality, tCrit, df);
  if (noncentrality < -largeNoncentrality && tCrit < 0)
    return 1 - powerOverNormal(-noncentrality, -tCrit, df);
  const logFront = Math.log(2) + (df / 2) * Math.log(df / 2) - logGamma(df / 2);
  const spread = 9 / Math.sqrt(2 * df);
  // The density is below exp(-28) there.
  const from = -Math.max(spread, 0.5 + 28 / df);
  const to = Math.min(spread, Math.log(1 + 12 / Math.sqrt(df)));
  const sharpest = Math.min(1 / Math.sqrt(2 * df), 1 / (3 + Math.abs(noncentrality)));
  const steps = Math.ceil((2 * (to - from)) / sharpest);
  const width = (to - from) / steps;
  let total = 0;
  for (let i = 0; i <= steps; i += 1) {
    const logS = from + i * width;
    const s = Math.exp(logS);
    const density = Math.exp(logFront + df * logS - (df / 2) * s * s);
    total += density * normalCdf(noncentrality - tCrit * s);
  }
  return Math.min(1, total * width);
}

/**
 * Returns the same probability as the mean of P(s < (noncentrality + z) / tCrit) over the standard normal z.
 */
function powerOverNormal(noncentrality: number, tCrit: number, df: number): number {
  const steps = 400;
  const reach = 9;
  const width = (2 * reach) / steps;
  let total = 0;
  for (let i = 0; i <= steps; i += 1) {
    const z = -reach + i * width;
    const s = Math.max(0, noncentrality + z) / tCrit;
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    total += weight * Math.exp((-z * z) / 2) * gammaTails(df / 2, (df * s * s) / 2).lower;
  }
  return Math.min(1, (total * width) / 3 / Math.sqrt(2 * Math.PI));
}
