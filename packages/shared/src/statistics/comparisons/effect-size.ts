import { allFinite, mean, standardDeviation, variance } from '../descriptive/summary.ts';
import { normalQuantile } from '../distributions/normal.ts';
import { logGamma } from '../distributions/special.ts';
import { checkLevel } from '../estimates/interval.ts';
import { tTestPower } from '../estimates/power.ts';
import { pairDifferences, roundDifference } from './t-test.ts';

export interface StandardisedDifference {
  pooledSd: number | null;
  /** (mean a - mean b) / pooled sd. */
  cohensD: number | null;
  /** Cohen's d with the usual small-sample factor 1 - 3 / (4 df - 1). */
  hedgesG: number | null;
  /** The same value with the exact factor from gamma functions. */
  hedgesGExact: number | null;
}

/**
 * Computes effect sizes for two independent groups of run values; null if undefined (fewer than two values in
 * a group, or no variance).
 */
export function standardisedDifference(a: ArrayLike<number>, b: ArrayLike<number>): StandardisedDifference {
  const va = variance(a);
  const vb = variance(b);
  const nothing = { pooledSd: null, cohensD: null, hedgesG: null, hedgesGExact: null };
  if (va === null || vb === null) return nothing;
  const df = a.length + b.length - 2;
  const pooledSd = Math.sqrt(((a.length - 1) * va + (b.length - 1) * vb) / df);
  if (pooledSd === 0) return { ...nothing, pooledSd };
  const d = (mean(a)! - mean(b)!) / pooledSd;
  const exact = Math.exp(logGamma(df / 2) - logGamma((df - 1) / 2)) / Math.sqrt(df / 2);
  return { pooledSd, cohensD: d, hedgesG: d * (1 - 3 / (4 * df - 1)), hedgesGExact: d * exact };
}

/**
 * Computes Cohen's d for paired values: the mean of the differences divided by their sd; null without
 * variance. Throws on unequal lengths.
 */
export function cohensDz(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  const differences = pairDifferences(a, b);
  const rounded = differences.map(roundDifference);
  const sd = standardDeviation(differences);
  if (sd === null || sd === 0 || rounded.every((value) => value === rounded[0])) return null;
  return mean(differences)! / sd;
}

/**
 * Computes Cliff's delta, (#a > b - #a < b) / (na nb), in n log n; null if a group is empty or not finite.
 */
export function cliffsDelta(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  if (!allFinite(a) || !allFinite(b)) return null;
  const left = Float64Array.from(a).sort();
  const right = Float64Array.from(b).sort();
  let below = 0;
  let notAbove = 0;
  let balance = 0;
  for (const value of left) {
    while (below < right.length && right[below]! < value) below += 1;
    while (notAbove < right.length && right[notAbove]! <= value) notAbove += 1;
    balance += below - (right.length - notAbove);
  }
  return balance / (left.length * right.length);
}

export interface EffectSizeInterval {
  /**
   * Hedges' g with the usual small-sample factor. Its limits do not use the factor, because they would then
   * cover less than stated.
   */
  g: number;
  lo: number;
  hi: number;
}

/**
 * Computes Hedges' g for two independent groups with its confidence interval by inverting the non-central t
 * distribution (Steiger & Fouladi 1997). The limits are the non-centralities under which the observed t is
 * just significant. Null if g is null.
 */
export function hedgesInterval(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  level = 0.95,
): EffectSizeInterval | null {
  checkLevel(level);
  const { cohensD, hedgesG } = standardisedDifference(a, b);
  if (cohensD === null || hedgesG === null || !Number.isFinite(cohensD)) return null;
  const df = a.length + b.length - 2;
  const scale = Math.sqrt(1 / a.length + 1 / b.length);
  const t = cohensD / scale;
  const tail = (1 - level) / 2;
  return {
    g: hedgesG,
    lo: noncentralityAt(t, df, tail) * scale,
    hi: noncentralityAt(t, df, 1 - tail) * scale,
  };
}

/**
 * Computes two-sided p-values for a standardised difference of at most `bound` (`above`) and of at least
 * `bound` (`below`), using the non-central t distribution. A p-value is below a level exactly if the
 * `hedgesInterval` at that level excludes the bound. Null if there is no effect size.
 */
export function effectPValues(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  bound: number,
): { above: number; below: number } | null {
  const { cohensD } = standardisedDifference(a, b);
  if (cohensD === null || !Number.isFinite(cohensD)) return null;
  const df = a.length + b.length - 2;
  const scale = Math.sqrt(1 / a.length + 1 / b.length);
  const upper = tTestPower(bound / scale, cohensD / scale, df);
  return { above: Math.min(1, 2 * upper), below: Math.min(1, 2 * (1 - upper)) };
}

/**
 * Returns the non-centrality with P(T > t) = p. Finds a bracket around t, then applies the Illinois method to
 * the normal quantile of P, which is nearly linear in the non-centrality.
 */
function noncentralityAt(t: number, df: number, p: number): number {
  const wanted = normalQuantile(p);
  const gapAt = (noncentrality: number) => {
    const power = tTestPower(noncentrality, t, df);
    return normalQuantile(Math.min(1 - 1e-15, Math.max(1e-300, power))) - wanted;
  };
  let step = 1 + Math.abs(t) / Math.sqrt(2 * df);
  let low = t - step;
  let high = t + step;
  let gapLow = gapAt(low);
  let gapHigh = gapAt(high);
  for (let i = 0; i < 60 && gapLow > 0; i += 1) {
    step *= 2;
    low -= step;
    gapLow = gapAt(low);
  }
  for (let i = 0; i < 60 && gapHigh < 0; i += 1) {
    step *= 2;
    high += step;
    gapHigh = gapAt(high);
  }
  for (let i = 0; i < 100; i += 1) {
    const next = high - (gapHigh * (high - low)) / (gapHigh - gapLow);
    const gap = gapAt(next);
    if (Math.abs(gap) < 1e-9 || high - low < 1e-12 * step) return next;
    if (gap < 0) {
      [low, gapLow] = [next, gap];
      gapHigh /= 2;
    } else {
      [high, gapHigh] = [next, gap];
      gapLow /= 2;
    }
  }
  return (low + high) / 2;
}
