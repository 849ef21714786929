/**
 * Returns adjusted p-values in the order of the input, clipped at 1. All functions throw RangeError if a
 * p-value is outside [0, 1]. Sources: Holm 1979; Benjamini & Hochberg 1995.
 */
export function adjustHolm(p: readonly number[]): number[] {
  const order = rankAscending(p);
  const adjusted = new Array<number>(p.length);
  let running = 0;
  order.forEach((index, rank) => {
    running = Math.max(running, (p.length - rank) * p[index]!);
    adjusted[index] = Math.min(1, running);
  });
  return adjusted;
}

/** Bonferroni: p times the number of tests. */
/**
 * Returns the significance level at which Holm's procedure tests each hypothesis, in the order of the input.
 * A hypothesis is rejected if p is below its level. After the first hypothesis that is not rejected, all
 * others are tested at the same level as it. Therefore, an interval with coverage 1 - level excludes the
 * hypothesis exactly if Holm's procedure rejects it. Throws like `adjustHolm`.
 */
export function holmLevels(p: readonly number[], alpha = 0.05): number[] {
  const levels = new Array<number>(p.length);
  let last: number | null = null;
  rankAscending(p).forEach((index, rank) => {
    const level: number = last ?? alpha / (p.length - rank);
    levels[index] = level;
    if (p[index]! >= level) last = level;
  });
  return levels;
}

export function adjustBonferroni(p: readonly number[]): number[] {
  checkProbabilities(p);
  return p.map((value) => Math.min(1, value * p.length));
}

/**
 * Returns p-values adjusted for the Benjamini-Hochberg false discovery rate; only for exploratory screens.
 */
export function adjustBenjaminiHochberg(p: readonly number[]): number[] {
  const order = rankAscending(p);
  const adjusted = new Array<number>(p.length);
  let running = 1;
  for (let rank = p.length - 1; rank >= 0; rank -= 1) {
    const index = order[rank]!;
    running = Math.min(running, (p[index]! * p.length) / (rank + 1));
    adjusted[index] = running;
  }
  return adjusted;
}

function rankAscending(p: readonly number[]): number[] {
  checkProbabilities(p);
  return p.map((_, i) => i).sort((i, j) => p[i]! - p[j]!);
}

function checkProbabilities(p: readonly number[]): void {
  const bad = p.find((value) => !(value >= 0 && value <= 1));
  if (bad !== undefined) throw new RangeError(`a p-value must be 0 to 1, got ${bad}`);
}
