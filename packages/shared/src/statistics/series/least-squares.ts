/** A least-squares problem reduced by Householder reflections; dependent columns are left out. */
export interface Reduced {
  rows: number;
  /** The columns kept, by their index in the input; the rest depend on columns before them. */
  kept: number[];
  /** Upper triangle by kept column: `r[j][i]`, i <= j. */
  r: Float64Array[];
  /** Q'y. */
  z: Float64Array;
  /** `residual[k]`: residual sum of squares with only the first k input columns. */
  residual: Float64Array;
}

// A column whose part outside the earlier ones is below this share of it counts as dependent.
const DEPENDENT = 1e-11;

/** Householder QR of columns (each as long as y). Nested models come for free in `residual`. */
export function reduceLeastSquares(columns: readonly Float64Array[], y: Float64Array): Reduced {
  const z = Float64Array.from(y);
  const kept: number[] = [];
  const r: Float64Array[] = [];
  const reflectors: Float64Array[] = [];
  const residual = [squaresFrom(z, 0)];
  columns.forEach((column, index) => {
    const work = Float64Array.from(column);
    reflectors.forEach((v, from) => {
      reflect(work, v, from);
    });
    const rank = reflectors.length;
    const norm = Math.sqrt(squaresFrom(work, rank));
    if (rank < work.length && norm > DEPENDENT * Math.sqrt(squaresFrom(column, 0))) {
      const diagonal = work[rank]! > 0 ? -norm : norm;
      const v = Float64Array.from(work);
      v[rank]! -= diagonal;
      const length = Math.sqrt(squaresFrom(v, rank) / 2);
      for (let i = rank; i < v.length; i += 1) v[i]! /= length;
      work[rank] = diagonal;
      kept.push(index);
      r.push(work.slice(0, rank + 1));
      reflectors.push(v);
      reflect(z, v, rank);
    }
    residual.push(squaresFrom(z, reflectors.length));
  });
  return { rows: y.length, kept, r, z, residual: Float64Array.from(residual) };
}

/** Coefficient of one input column and the matching diagonal entry of (X'X)^-1; null if it was left out. */
export function coefficientOf(
  { kept, r, z }: Reduced,
  column: number,
): { value: number; inverse: number } | null {
  const at = kept.indexOf(column);
  if (at < 0) return null;
  // Row `at` of R^-1 by forward substitution: w R = e_at. Then value = w z, inverse = w w'.
  const w = new Float64Array(kept.length);
  let value = 0;
  let inverse = 0;
  for (let j = at; j < kept.length; j += 1) {
    let rest = j === at ? 1 : 0;
    for (let i = at; i < j; i += 1) rest -= w[i]! * r[j]![i]!;
    w[j] = rest / r[j]![j]!;
    value += w[j]! * z[j]!;
    inverse += w[j]! ** 2;
  }
  return { value, inverse };
}

function squaresFrom(x: Float64Array, from: number): number {
  let total = 0;
  for (let i = from; i < x.length; i += 1) total += x[i]! ** 2;
  return total;
}

/** Applies I - v v' (v has squared length 2 and starts at `from`). */
function reflect(x: Float64Array, v: Float64Array, from: number): void {
  let dot = 0;
  for (let i = from; i < x.length; i += 1) dot += x[i]! * v[i]!;
  for (let i = from; i < x.length; i += 1) x[i]! -= dot * v[i]!;
}
