import { isConstant, mean, quantileSorted, standardDeviation } from '../descriptive/summary.ts';
import { makeRandom, type Random, randomIndex } from '../randomness/random.ts';
import { checkLevel } from './interval.ts';

/** Circular blocks wrap around the end; moving blocks stay inside. */
export type BlockType = 'circular' | 'moving';

/** Everything needed to draw a block-resampled mean without reading the series again. */
export interface BlockSums {
  n: number;
  /** Blocks per replicate; the last one is truncated. */
  blocks: number;
  /** Sum of a full (truncated) block by its start position, after subtracting `centre` from the series. */
  whole: Float64Array;
  cut: Float64Array;
  centre: number;
}

/**
 * Computes the sums of all blocks of length b in a series, from prefix sums. A replicate has n values from
 * ceil(n / b) blocks, truncated to n. Throws RangeError unless the series is finite and 1 <= b <= n.
 */
export function makeBlockSums(values: ArrayLike<number>, blockLength: number, type: BlockType): BlockSums {
  const n = values.length;
  const centre = mean(values);
  if (centre === null) throw new RangeError('a series to resample must be finite and non-empty');
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

/**
 * Returns the mean of the series formed by the blocks at these starts. Throws RangeError if the number of
 * starts is wrong.
 */
export function meanFromStarts(sums: BlockSums, starts: readonly number[]): number {
  if (starts.length !== sums.blocks) throw new RangeError(`${sums.blocks} block starts are needed`);
  const total = starts.reduce((acc, start, i) => {
    const block = (i < sums.blocks - 1 ? sums.whole : sums.cut)[start];
    if (block === undefined) throw new RangeError(`no block starts at ${start}`);
    return acc + block;
  }, 0);
  return sums.centre + total / sums.n;
}

/** Returns the mean and variance of the block-bootstrap mean in closed form (no Monte Carlo). */
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

/** Returns the mean and variance with divisor n; the variance of equal values is exactly 0. */
export function populationMoments(values: ArrayLike<number>): { mean: number; variance: number } {
  const centre = mean(values) ?? Number.NaN;
  if (isConstant(values)) return { mean: centre, variance: 0 };
  let squares = 0;
  for (let i = 0; i < values.length; i += 1) squares += (values[i]! - centre) ** 2;
  return { mean: centre, variance: squares / values.length };
}

/**
 * single, concatenated: runs are joined into one series. stratified: all runs are kept, and blocks are drawn
 * within each. hierarchical: runs are drawn with replacement, then new blocks within each. runs-only: run
 * means are drawn. Only hierarchical and runs-only generalise to further runs.
 */
export type BootstrapScheme = 'single' | 'concatenated' | 'stratified' | 'hierarchical' | 'runs-only';

export interface BootstrapDesign {
  scheme: BootstrapScheme;
  blockType: BlockType;
  blockLength: number;
}

export interface BootstrapOptions extends BootstrapDesign {
  replicates?: number;
  level?: number;
  seed: number;
}

/** One group of runs, prepared for drawing. */
interface Group {
  /** One entry per run; empty for runs-only. */
  parts: readonly BlockSums[];
  runMeans: readonly number[];
  design: BootstrapDesign;
}

export interface BootstrapMoments {
  mean: number;
  se: number;
}

export interface BootstrapResult {
  point: number;
  percentile: { lo: number; hi: number };
  /** Percentile interval mirrored at the point estimate. */
  basic: { lo: number; hi: number };
  se: number;
  replicates: number;
  seed: number;
  /** Every replicate, ascending. */
  draws: Float64Array;
}

export interface BootstrapDifference extends BootstrapResult {
  /** Closed-form bootstrap mean and standard error of each group and of the difference. */
  exact: { a: BootstrapMoments; b: BootstrapMoments; difference: BootstrapMoments };
}

/**
 * Performs a block bootstrap of mean(a) - mean(b), drawing the groups independently. Throws RangeError on
 * unusable input.
 */
export function bootstrapDifference(
  a: readonly ArrayLike<number>[],
  b: readonly ArrayLike<number>[],
  options: BootstrapOptions,
): BootstrapDifference {
  const left = prepareGroup(a, options);
  const right = prepareGroup(b, options);
  const random = makeRandom(options.seed);
  const draws = drawGroup(left, random, options.replicates ?? 2000);
  const others = drawGroup(right, random, options.replicates ?? 2000);
  for (let i = 0; i < draws.length; i += 1) draws[i]! -= others[i]!;
  const [ma, mb] = [groupMoments(left), groupMoments(right)];
  const difference = { mean: ma.mean - mb.mean, se: Math.hypot(ma.se, mb.se) };
  return {
    ...summariseDraws(draws, groupMean(left) - groupMean(right), options),
    exact: { a: ma, b: mb, difference },
  };
}

function prepareGroup(runs: readonly ArrayLike<number>[], design: BootstrapDesign): Group {
  if (runs.length === 0) throw new RangeError('a group to resample needs at least one run');
  const joined = design.scheme === 'single' || design.scheme === 'concatenated';
  const series = joined ? [runs.flatMap((run) => Array.from(run))] : runs;
  const runMeans = series.map((values) => {
    const centre = mean(values);
    if (centre === null) throw new RangeError('a run to resample must be finite and non-empty');
    return centre;
  });
  const parts =
    design.scheme === 'runs-only'
      ? []
      : series.map((values) => makeBlockSums(values, design.blockLength, design.blockType));
  return { parts, runMeans, design };
}

function groupMean({ runMeans }: Group): number {
  return mean(runMeans)!;
}

function groupMoments({ parts, runMeans, design }: Group): BootstrapMoments {
  const runs = runMeans.length;
  const moments = parts.map(exactBlockMoments);
  const means = design.scheme === 'runs-only' ? runMeans : moments.map((m) => m.mean);
  const within = moments.reduce((total, m) => total + m.variance, 0);
  const between = populationMoments(means);
  const redrawn = design.scheme === 'runs-only' || design.scheme === 'hierarchical';
  const variance = redrawn ? (within / runs + between.variance) / runs : within / runs ** 2;
  return { mean: between.mean, se: Math.sqrt(variance) };
}

function drawGroup({ parts, runMeans, design }: Group, random: Random, replicates: number): Float64Array {
  if (!Number.isInteger(replicates) || replicates < 2) throw new RangeError(`bad replicates: ${replicates}`);
  const runs = runMeans.length;
  const redraw = design.scheme === 'hierarchical' || design.scheme === 'runs-only';
  const uniform = new Uint32Array(Math.max(0, ...parts.map((part) => part.blocks)));
  const draws = new Float64Array(replicates);
  for (let i = 0; i < replicates; i += 1) {
    let total = 0;
    for (let slot = 0; slot < runs; slot += 1) {
      const run = redraw ? randomIndex(random, runs) : slot;
      const part = parts[run];
      if (part === undefined) {
        total += runMeans[run]!;
        continue;
      }
      const starts = uniform.subarray(0, part.blocks);
      random.fill(starts);
      total += drawMean(part, starts);
    }
    draws[i] = total / runs;
  }
  return draws;
}

function drawMean({ n, blocks, whole, cut, centre }: BlockSums, uniform: Uint32Array): number {
  const scale = whole.length / 2 ** 32;
  let total = cut[(uniform[0]! * scale) | 0]!;
  for (let block = 1; block < blocks; block += 1) total += whole[(uniform[block]! * scale) | 0]!;
  return centre + total / n;
}

function summariseDraws(draws: Float64Array, point: number, options: BootstrapOptions): BootstrapResult {
  const level = options.level ?? 0.95;
  checkLevel(level);
  const se = standardDeviation(draws)!;
  draws.sort();
  const lo = quantileSorted(draws, (1 - level) / 2);
  const hi = quantileSorted(draws, (1 + level) / 2);
  return {
    point,
    percentile: { lo, hi },
    basic: { lo: 2 * point - hi, hi: 2 * point - lo },
    se,
    replicates: draws.length,
    seed: options.seed,
    draws,
  };
}
