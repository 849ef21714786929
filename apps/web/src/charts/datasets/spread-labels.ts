export type SpreadRequest = { gap: number; min: number; max: number };

/** Moves label centres apart until each is `gap` from its neighbour, inside min and max, each as near its wish as can be. */
export function spreadLabels(wanted: readonly number[], { gap, min, max }: SpreadRequest): number[] {
  const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
  const placed = order.map(({ y }) => Math.min(max, Math.max(min, y)));
  for (let pass = 0; pass < 24; pass += 1) {
    for (let k = 1; k < placed.length; k += 1) {
      const missing = gap - (placed[k]! - placed[k - 1]!);
      if (missing <= 0) continue;
      placed[k - 1]! -= missing / 2;
      placed[k]! += missing / 2;
    }
    placed[0] = Math.max(min, placed[0] ?? min);
    for (let k = 1; k < placed.length; k += 1) placed[k] = Math.max(placed[k]!, placed[k - 1]! + gap * 0.999);
    for (let k = placed.length - 1; k >= 0; k -= 1) {
      const ceiling = k === placed.length - 1 ? max : placed[k + 1]! - gap * 0.999;
      placed[k] = Math.min(placed[k]!, ceiling);
    }
  }
  const result = new Array<number>(wanted.length);
  order.forEach(({ i }, k) => {
    result[i] = placed[k]!;
  });
  return result;
}
