import { pairedTest, type TTest, welchTest } from '../statistics/comparisons/t-test.ts';
import { mean } from '../statistics/descriptive/summary.ts';
import { minRuns, usualLevel } from './estimate.ts';
import type { RunValue } from './run-values.ts';

export type BlockValue = Pick<RunValue, 'block' | 'value' | 'step'>;

/** Runs of some treatments, and of other treatments that differ from them in only one respect. */
export interface PooledPair {
  treatment: readonly (readonly BlockValue[])[];
  baseline: readonly (readonly BlockValue[])[];
}

/** Mean difference over pairs of treatments, from one value per repetition, so that the run is the unit of inference. */
export interface PooledDifference {
  /**
   * Positive quantities are compared by the ratio of geometric means, and all others by the difference of
   * means.
   */
  scale: 'ratio' | 'difference';
  value: number;
  /** Number of repetitions; if unpaired, the number on the smaller side. */
  runs: number;
  /** Number of compared pairs of treatments, and number of all pairs. */
  pairs: number;
  allPairs: number;
  /** True if nothing varies, so that the value is exact. */
  isExact: boolean;
  intervalAt(coverage: number): { lo: number; hi: number };
}

interface PoolOptions {
  isPositive: boolean;
  /** True if both sides belong to one experiment, so that repetitions are pairs. */
  isPaired: boolean;
}

/**
 * Averages each side over its treatments and over all pairs within each repetition. Then compares the sides
 * with the paired t interval over repetitions (Welch's interval for two experiments). Pairs with fewer than
 * three repetitions are excluded. If no pair has three, returns the largest number of repetitions in any
 * pair.
 */
export function poolDifference(
  pairs: readonly PooledPair[],
  { isPositive, isPaired }: PoolOptions,
): PooledDifference | { runs: number } {
  const counted = pairs.map((pair) => ({ pair, blocks: blocksOf(pair, isPaired) }));
  const most = Math.max(0, ...counted.map(({ blocks }) => blocks.size));
  const usable = counted.filter(({ blocks }) => blocks.size >= minRuns);
  const common = usable.reduce<ReadonlySet<number> | null>(
    (all, { blocks }) => (all === null ? blocks : shared(all, blocks)),
    null,
  );
  if (common === null || common.size < minRuns) return { runs: common === null ? most : common.size };
  const values = usable.flatMap(({ pair }) => [...pair.treatment, ...pair.baseline].flat());
  const scale = isPositive && values.every(({ value }) => value > 0) ? 'ratio' : 'difference';
  const sideOf = (side: keyof PooledPair) => {
    const own = usable.flatMap(({ pair }) => pair[side]);
    const blocks = isPaired ? common : new Set(own.flatMap((runs) => runs.map(({ block }) => block)));
    return [...blocks].sort((x, y) => x - y).map((block) => meanOf(own, block, scale));
  };
  const [a, b] = [sideOf('treatment'), sideOf('baseline')];
  const step = mean(values.map((one) => (scale === 'ratio' ? one.step / one.value : one.step))) ?? 0;
  const testAt = (level: number): TTest | null =>
    isPaired ? pairedTest(a, b, level, step) : welchTest(a, b, level, step);
  const centre = (mean(a) ?? Number.NaN) - (mean(b) ?? Number.NaN);
  const back = (value: number) => (scale === 'ratio' ? Math.exp(value) : value);
  const isExact = testAt(usualLevel) === null;
  return {
    scale,
    value: back(centre),
    runs: Math.min(a.length, b.length),
    pairs: usable.length,
    allPairs: pairs.length,
    isExact,
    intervalAt: (coverage) => {
      const test = isExact ? null : testAt(coverage);
      return { lo: back(test?.lo ?? centre), hi: back(test?.hi ?? centre) };
    },
  };
}

/**
 * Returns the repetitions that all treatments on both sides have; if unpaired, the repetitions on the smaller
 * side.
 */
function blocksOf({ treatment, baseline }: PooledPair, isPaired: boolean): ReadonlySet<number> {
  const [own, other] = [treatment, baseline].map((side) => {
    const all: ReadonlySet<number>[] = side.map((runs) => new Set(runs.map(({ block }) => block)));
    return all.length === 0 ? new Set<number>() : all.reduce(shared);
  }) as [ReadonlySet<number>, ReadonlySet<number>];
  if (isPaired) return shared(own, other);
  return own.size < other.size ? own : other;
}

function shared(a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> {
  return new Set([...a].filter((block) => b.has(block)));
}

/** Converts a value to the scale of the comparison. */
function meanOf(
  treatments: readonly (readonly BlockValue[])[],
  block: number,
  scale: PooledDifference['scale'],
): number {
  const own = treatments.flatMap((runs) => runs.filter((run) => run.block === block));
  return mean(own.map(({ value }) => (scale === 'ratio' ? Math.log(value) : value))) ?? Number.NaN;
}
