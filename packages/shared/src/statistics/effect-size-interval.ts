import { standardisedDifference } from './effect-size.ts';
import { checkLevel } from './interval.ts';
import { tTestPower } from './power.ts';

export interface EffectSizeInterval {
  /** Hedges g with the usual small-sample factor. */
  g: number;
  lo: number;
  hi: number;
}

/**
 * Hedges g of two independent groups with its confidence interval, by inverting the non-central t distribution
 * (Steiger & Fouladi 1997): the non-centralities under which the observed t is just not surprising. Null where g is.
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
  const small = 1 - 3 / (4 * df - 1);
  const t = cohensD / scale;
  const tail = (1 - level) / 2;
  return {
    g: hedgesG,
    lo: noncentralityAt(t, df, tail) * scale * small,
    hi: noncentralityAt(t, df, 1 - tail) * scale * small,
  };
}

/** The non-centrality with P(T > t) = p; P grows with it, so it is found by halving. */
function noncentralityAt(t: number, df: number, p: number): number {
  const reach = 6 + Math.abs(t) * (1 + 6 / Math.sqrt(df));
  let low = t - reach;
  let high = t + reach;
  for (let i = 0; i < 60 && high - low > 1e-9 * (1 + Math.abs(t)); i += 1) {
    const middle = (low + high) / 2;
    if (tTestPower(middle, t, df) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
