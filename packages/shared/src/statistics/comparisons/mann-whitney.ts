import { allFinite, rankValues } from '../descriptive/summary.ts';
import { normalCdf } from '../distributions/normal.ts';

export interface MannWhitney {
  uA: number;
  uB: number;
  /** Two-sided; normal approximation with tie correction and continuity correction. */
  p: number;
  /** Two-sided and exact; only without ties and with at most 20 values per group. */
  pExact: number | null;
  hasTies: boolean;
}

/** Performs the Mann-Whitney U test for two independent groups; null if a group is empty or not finite. */
export function mannWhitney(a: ArrayLike<number>, b: ArrayLike<number>): MannWhitney | null {
  if (!allFinite(a) || !allFinite(b)) return null;
  const [na, nb] = [a.length, b.length];
  const n = na + nb;
  const { ranks, tieTerm } = rankValues([...Array.from(a), ...Array.from(b)]);
  const rankSum = ranks.subarray(0, na).reduce((total, rank) => total + rank, 0);
  const uA = rankSum - (na * (na + 1)) / 2;
  const uB = na * nb - uA;
  const larger = Math.max(uA, uB);
  const squareSd = ((na * nb) / 12) * (n + 1 - tieTerm / (n * (n - 1)));
  const z = (larger - (na * nb) / 2 - 0.5) / Math.sqrt(squareSd);
  const hasTies = tieTerm > 0;
  return {
    uA,
    uB,
    p: squareSd > 0 ? Math.min(1, 2 * normalCdf(-z)) : 1,
    pExact: !hasTies && Math.max(na, nb) <= 20 ? exactP(larger, na, nb) : null,
    hasTies,
  };
}

/** Returns twice P(U >= u), from the counts of all rank arrangements (Gaussian binomial coefficients). */
function exactP(u: number, na: number, nb: number): number {
  const top = na * nb;
  const counts = new Float64Array(top + 1);
  counts[0] = 1;
  for (let i = 1; i <= na; i += 1) {
    // Multiplies by (1 - x^(nb + i)), then divides by (1 - x^i).
    for (let k = top; k >= nb + i; k -= 1) counts[k]! -= counts[k - nb - i]!;
    for (let k = i; k <= top; k += 1) counts[k]! += counts[k - i]!;
  }
  let all = 0;
  let tail = 0;
  for (let k = 0; k <= top; k += 1) {
    all += counts[k]!;
    if (k >= u) tail += counts[k]!;
  }
  return Math.min(1, (2 * tail) / all);
}
