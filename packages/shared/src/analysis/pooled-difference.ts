import { pairedTest, type TTest, welchTest } from '../statistics/comparisons/t-test.ts';
import { mean } from '../statistics/descriptive/summary.ts';
import { minRuns, usualLevel } from './estimate.ts';
import type { RunValue } from './run-values.ts';

export type BlockValue = Pick<RunValue, 'block' | 'value' | 'step'>;

/** Runs of some treatments against runs of others that differ from them in one respect only. */
export interface PooledPair {
  treatment: readonly (readonly BlockValue[])[];
  baseline: readonly (readonly BlockValue[])[];
}

/** Mean difference over pairs of treatments, from one value of each repetition: the run stays the unit of inference. */
export interface PooledDifference {
  /** Positive quantities are compared by the ratio of geometric means, all others by the difference of means. */
  scale: 'ratio' | 'difference';
  value: number;
  /** Repetitions it rests on; of unpaired sides those of the smaller one. */
  runs: number;
  /** Pairs of treatments it rests on, of so many. */
  pairs: number;
  allPairs: number;
  /** Nothing varies: the value is exact. */
  isExact: boolean;
  intervalAt(coverage: number): { lo: number; hi: number };
}

interface PoolOptions {
  isPositive: boolean;
  /** Both sides are of one experiment, so that repetitions are pairs. */
  isPaired: boolean;
}

/**
 * Averages each side over its treatments and over all pairs inside each repetition, then compares the sides by the
 * paired t interval over repetitions (Welch's for two experiments). A pair that fewer than three repetitions have is
 * left out. Returns the most repetitions that any pair has, if that is below three.
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

/** Repetitions that every treatment of both sides has; of unpaired sides those of the smaller one. */
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

/** On the scale of the comparison. */
function meanOf(
  treatments: readonly (readonly BlockValue[])[],
  block: number,
  scale: PooledDifference['scale'],
): number {
  const own = treatments.flatMap((runs) => runs.filter((run) => run.block === block));
  return mean(own.map(({ value }) => (scale === 'ratio' ? Math.log(value) : value))) ?? Number.NaN;
}
