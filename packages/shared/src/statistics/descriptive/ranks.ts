export interface Ranks {
  /** Ranks from 1 in input order; ties share their average. */
  ranks: Float64Array;
  /** Sum of t^3 - t over groups of t equal values; 0 without ties. */
  tieTerm: number;
}

/** Mid-ranks of finite values. */
export function rankValues(values: ArrayLike<number>): Ranks {
  const order = Uint32Array.from({ length: values.length }, (_, i) => i);
  order.sort((i, j) => values[i]! - values[j]!);
  const ranks = new Float64Array(values.length);
  let tieTerm = 0;
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end]!] === values[order[start]!]) end += 1;
    for (let i = start; i < end; i += 1) ranks[order[i]!] = (start + end + 1) / 2;
    tieTerm += (end - start) ** 3 - (end - start);
    start = end;
  }
  return { ranks, tieTerm };
}
