import { normalQuantile } from '../distributions/normal.ts';
import { standardisedDifference } from './effect-size.ts';
import { checkLevel } from './interval.ts';
import { tTestPower } from './power.ts';

export interface EffectSizeInterval {
  /** Hedges g with the usual small-sample factor; its limits are without, for with it they cover less than they say. */
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
  const t = cohensD / scale;
  const tail = (1 - level) / 2;
  return {
    g: hedgesG,
    lo: noncentralityAt(t, df, tail) * scale,
    hi: noncentralityAt(t, df, 1 - tail) * scale,
  };
}

/**
 * The non-centrality with P(T > t) = p. The normal quantile of P is nearly linear in it, so a few secant steps from
 * the normal approximation suffice.
 */
function noncentralityAt(t: number, df: number, p: number): number {
  const wanted = normalQuantile(p);
  const gapAt = (noncentrality: number) => {
    const power = tTestPower(noncentrality, t, df);
    return normalQuantile(Math.min(1 - 1e-15, Math.max(1e-300, power))) - wanted;
  };
  let before = t + wanted;
  let gapBefore = gapAt(before);
  let now = before - gapBefore;
  for (let i = 0; i < 40; i += 1) {
    const gap = gapAt(now);
    if (Math.abs(gap) < 1e-9) break;
    const slope = (gap - gapBefore) / (now - before);
    const next = now - gap / (slope > 0.05 ? slope : 0.05);
    [before, gapBefore, now] = [now, gap, next];
  }
  return now;
}
