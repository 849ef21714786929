import { isConstant, mean } from '../descriptive/summary.ts';

/** Circular blocks wrap around the end; moving blocks stay inside. */
export type BlockType = 'circular' | 'moving';

/** Everything needed to draw a block-resampled mean without touching the series again. */
export interface BlockSums {
  n: number;
  /** Blocks per replicate, the last one cut. */
  blocks: number;
  /** Sum over a whole (cut) block by its start, after subtracting `centre` from the series. */
  whole: Float64Array;
  cut: Float64Array;
  centre: number;
}

/**
 * Sums of all blocks of length b of a series, from prefix sums; n values are rebuilt from ceil(n / b) blocks
 * cut to n. Throws RangeError unless the series is finite and 1 <= b <= n.
 */
export function makeBlockSums(values: ArrayLike<number>, blockLength: number, type: BlockType): BlockSums {
  const n = values.length;
  const centre = mean(values);
  if (centre === null) throw new RangeError('a series to resample must be finite and not empty');
  if (!Number.isInteger(blockLength) || blockLength < 1 || blockLength > n) {
    throw new RangeError(`the block length must be 1 to ${n}, got ${blockLength}`);
  }
  const blocks = Math.ceil(n / blockLength);
  const lastLength = n - (blocks - 1) * blockLength;
  const starts = type === 'circular' ? n : n - blockLength + 1;
  const prefix = new Float64Array(starts + blockLength);
  for (let i = 0; i + 1 < prefix.length; i += 1) prefix[i + 1] = prefix[i]! + (values[i % n]! - centre);
  const sums = (length: number) =>
    Float64Array.from({ length: starts }, (_, start) => prefix[start + length]! - prefix[start]!);
  return { n, blocks, whole: sums(blockLength), cut: sums(lastLength), centre };
}

/** Mean of the series that blocks at these starts make. Throws RangeError on a wrong number of starts. */
export function meanFromStarts(sums: BlockSums, starts: readonly number[]): number {
  if (starts.length !== sums.blocks) throw new RangeError(`${sums.blocks} block starts are needed`);
  const total = starts.reduce((acc, start, i) => {
    const block = (i < sums.blocks - 1 ? sums.whole : sums.cut)[start];
    if (block === undefined) throw new RangeError(`no block starts at ${start}`);
    return acc + block;
  }, 0);
  return sums.centre + total / sums.n;
}

/** Mean and variance of the block-bootstrap mean in closed form (no Monte Carlo). */
export function exactBlockMoments({ n, blocks, whole, cut, centre }: BlockSums): {
  mean: number;
  variance: number;
} {
  const full = populationMoments(whole);
  const last = populationMoments(cut);
  return {
    mean: centre + ((blocks - 1) * full.mean + last.mean) / n,
    variance: ((blocks - 1) * full.variance + last.variance) / n ** 2,
  };
}

/** Mean and variance with divisor n; variance exactly 0 for equal values. */
export function populationMoments(values: ArrayLike<number>): { mean: number; variance: number } {
  const centre = mean(values) ?? Number.NaN;
  if (isConstant(values)) return { mean: centre, variance: 0 };
  let squares = 0;
  for (let i = 0; i < values.length; i += 1) squares += (values[i]! - centre) ** 2;
  return { mean: centre, variance: squares / values.length };
}
