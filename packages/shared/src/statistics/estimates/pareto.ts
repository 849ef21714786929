export interface ParetoResult {
  /** Indices of the points that no other point dominates, in input order. */
  front: number[];
  /** Layer of every point: 1 for the front, 2 for the front of the rest, and so on. */
  rank: number[];
  /** For every point, the indices of the points that dominate it. */
  dominatedBy: number[][];
}

/**
 * Sorts points by non-domination; all coordinates are minimised (negate coordinates to be maximised). A point
 * dominates another if no coordinate is larger and at least one is smaller; duplicates do not dominate each
 * other. Throws RangeError if points are not finite or have different lengths.
 */
export function rankPareto(points: readonly (readonly number[])[]): ParetoResult {
  const width = points[0]?.length ?? 0;
  if (!points.every((point) => point.length === width && point.every(Number.isFinite))) {
    throw new RangeError('points must be finite and have the same number of coordinates');
  }
  const dominatedBy = points.map((point) =>
    points.flatMap((other, i) => (dominates(other, point) ? [i] : [])),
  );
  const rank = new Array<number>(points.length).fill(0);
  for (let layer = 1; rank.includes(0); layer += 1) {
    const open = rank.map((value) => value === 0);
    dominatedBy.forEach((above, i) => {
      if (open[i] && !above.some((j) => open[j])) rank[i] = layer;
    });
  }
  return { front: rank.flatMap((value, i) => (value === 1 ? [i] : [])), rank, dominatedBy };
}

function dominates(p: readonly number[], q: readonly number[]): boolean {
  return p.every((value, i) => value <= q[i]!) && p.some((value, i) => value < q[i]!);
}
