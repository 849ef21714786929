import { allFinite } from '../descriptive/summary.ts';

export interface SteadyState {
  /** Index of the first value of the steady part. */
  index: number;
  /** False if the cut lies in the second half, so that the series never settled. */
  reached: boolean;
}

/**
 * Where a warm-up ends: MSER-m, which cuts so that the standard error of the remaining mean is smallest
 * (White 1997; m = 5 averages are used). Sees transients and drift, not growth that speeds up. Null below 10 batches, if constant or not finite.
 */
export function findSteadyState(values: ArrayLike<number>, batch = 5): SteadyState | null {
  if (!Number.isInteger(batch) || batch < 1) throw new RangeError(`bad batch: ${batch}`);
  const count = Math.floor(values.length / batch);
  if (count < 10 || !allFinite(values)) return null;
  const means = Float64Array.from({ length: count }, (_, i) => {
    let total = 0;
    for (let t = i * batch; t < (i + 1) * batch; t += 1) total += values[t]!;
    return total / batch;
  });
  if (means.every((value) => value === means[0])) return null;
  // Running mean and squares from the end (Welford), at least five batches remain.
  let best = Infinity;
  let cut = 0;
  let mean = 0;
  let squares = 0;
  for (let i = count - 1; i >= 0; i -= 1) {
    const kept = count - i;
    const step = means[i]! - mean;
    mean += step / kept;
    squares += step * (means[i]! - mean);
    const score = squares / kept ** 2;
    if (kept >= 5 && score <= best) [best, cut] = [score, i];
  }
  return { index: cut * batch, reached: cut <= count / 2 };
}
