import { allFinite, rankValues } from '../descriptive/summary.ts';
import { chiSquareSf } from '../distributions/normal.ts';

export interface KruskalWallis {
  h: number;
  df: number;
  p: number;
}

/**
 * Performs the tie-corrected Kruskal-Wallis test for independent groups. Null if there are fewer than two
 * groups, a group is empty or not finite, or all values are equal.
 */
export function kruskalWallis(groups: readonly ArrayLike<number>[]): KruskalWallis | null {
  if (groups.length < 2 || !groups.every(allFinite)) return null;
  const all = groups.flatMap((group) => Array.from(group));
  const n = all.length;
  const { ranks, tieTerm } = rankValues(all);
  const correction = 1 - tieTerm / (n ** 3 - n);
  if (!(correction > 0)) return null;
  let from = 0;
  let between = 0;
  for (const group of groups) {
    const own = ranks.subarray(from, from + group.length);
    const meanRank = own.reduce((total, rank) => total + rank, 0) / group.length;
    between += group.length * (meanRank - (n + 1) / 2) ** 2;
    from += group.length;
  }
  const h = (12 * between) / (n * (n + 1)) / correction;
  return { h, df: groups.length - 1, p: chiSquareSf(h, groups.length - 1) };
}

export interface Friedman {
  chi2: number;
  df: number;
  p: number;
}

/**
 * Performs the tie-corrected Friedman test; the i-th value of every treatment is from block i. Null for fewer
 * than three treatments or two blocks, unequal lengths or values that are not finite, or if all values are
 * tied in every block.
 */
export function friedman(treatments: readonly ArrayLike<number>[]): Friedman | null {
  const k = treatments.length;
  const blocks = treatments[0]?.length ?? 0;
  if (k < 3 || blocks < 2) return null;
  if (!treatments.every((values) => values.length === blocks && allFinite(values))) return null;
  const rankSums = new Float64Array(k);
  let ties = 0;
  for (let block = 0; block < blocks; block += 1) {
    const { ranks, tieTerm } = rankValues(treatments.map((values) => values[block]!));
    ranks.forEach((rank, j) => {
      rankSums[j]! += rank;
    });
    ties += tieTerm;
  }
  const correction = 1 - ties / (blocks * (k ** 3 - k));
  if (!(correction > 0)) return null;
  const spread = rankSums.reduce((total, rankSum) => total + (rankSum - (blocks * (k + 1)) / 2) ** 2, 0);
  const chi2 = (12 * spread) / (blocks * k * (k + 1)) / correction;
  return { chi2, df: k - 1, p: chiSquareSf(chi2, k - 1) };
}
