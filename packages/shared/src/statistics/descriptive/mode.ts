/**
 * Half-sample mode (Bickel and Frühwirth 2006): the densest half, again and again. NaN for nothing.
 */
export function halfSampleMode(values: ArrayLike<number>): number {
  let sorted = Float64Array.from(values).sort();
  while (sorted.length > 3) {
    const half = Math.ceil(sorted.length / 2);
    let start = 0;
    let narrowest = Number.POSITIVE_INFINITY;
    for (let from = 0; from + half <= sorted.length; from += 1) {
      const width = sorted[from + half - 1]! - sorted[from]!;
      if (width < narrowest) [narrowest, start] = [width, from];
    }
    if (narrowest === 0) return sorted[start]!;
    sorted = sorted.slice(start, start + half);
  }
  const [a, b, c] = sorted;
  if (a === undefined) return Number.NaN;
  if (b === undefined) return a;
  if (c === undefined) return (a + b) / 2;
  if (b - a === c - b) return b;
  return b - a < c - b ? (a + b) / 2 : (b + c) / 2;
}
