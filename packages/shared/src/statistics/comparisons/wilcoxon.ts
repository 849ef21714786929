import { allFinite, rankValues } from '../descriptive/summary.ts';
import { normalTwoSidedP } from '../distributions/normal.ts';
import { pairDifferences, roundDifference } from './t-test.ts';

export interface Wilcoxon {
  wPlus: number;
  wMinus: number;
  /** The smaller of the two rank sums. */
  statistic: number;
  /** Two-sided; normal approximation with tie correction, without continuity correction. */
  p: number;
  /** Two-sided and exact; only without ties and zeros and with at most 25 pairs. */
  pExact: number | null;
  nonZero: number;
}

/**
 * Performs the Wilcoxon signed-rank test for paired values, without zero differences; null if no values
 * remain or values are not finite. Throws RangeError on unequal lengths.
 */
export function wilcoxonSignedRank(a: ArrayLike<number>, b: ArrayLike<number>): Wilcoxon | null {
  const differences = pairDifferences(a, b);
  if (!allFinite(differences)) return null;
  const kept = differences.map(roundDifference).filter((value) => value !== 0);
  const n = kept.length;
  if (n === 0) return null;
  const { ranks, tieTerm } = rankValues(kept.map(Math.abs));
  const wPlus = kept.reduce((total, value, i) => (value > 0 ? total + ranks[i]! : total), 0);
  const wMinus = (n * (n + 1)) / 2 - wPlus;
  const statistic = Math.min(wPlus, wMinus);
  const sd = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24 - tieTerm / 48);
  const exact = tieTerm === 0 && n === differences.length && n <= 25;
  return {
    wPlus,
    wMinus,
    statistic,
    p: normalTwoSidedP((statistic - (n * (n + 1)) / 4) / sd),
    pExact: exact ? exactP(statistic, n) : null,
    nonZero: n,
  };
}

/** Returns twice P(W <= w), from the counts of all sign patterns. */
function exactP(w: number, n: number): number {
  const counts = new Float64Array((n * (n + 1)) / 2 + 1);
  counts[0] = 1;
  for (let rank = 1; rank <= n; rank += 1) {
    for (let k = counts.length - 1; k >= rank; k -= 1) counts[k]! += counts[k - rank]!;
  }
  let tail = 0;
  for (let k = 0; k <= w; k += 1) tail += counts[k]!;
  return Math.min(1, (2 * tail) / 2 ** n);
}
