import { hedgesInterval } from '../../statistics/comparisons/effect-size.ts';
import {
  geometricInterval,
  independentRatio,
  pairedRatio,
  type RatioTest,
} from '../../statistics/comparisons/ratio.ts';
import { compareTree, type GoldenMismatch, type TreeRules, tolerances } from './compare-tree.ts';
import type { GoldenCase } from './golden-file.ts';

const RULES: TreeRules = {
  tolerance: tolerances([
    [/^hedges\.ci95/, 1e-7, 1e-6],
    [/(^|\.)p$/, 1e-9, 1e-6],
    [/./, 1e-9, 1e-8],
  ]),
};

/** Geometric means with their intervals, their ratio, and the interval of Hedges g. */
export function checkPositive(reference: GoldenCase): GoldenMismatch[] {
  const [a, b] = [reference.numbers('a'), reference.numbers('b')];
  const [ofA, ofB] = [geometricInterval(a), geometricInterval(b)];
  const test = reference.flag('paired') ? pairedRatio(a, b) : independentRatio(a, b);
  const hedges = hedgesInterval(a, b);
  const got = {
    geometricMeanA: ofA?.mean,
    ciA: ofA && [ofA.lo, ofA.hi],
    geometricMeanB: ofB?.mean,
    ciB: ofB && [ofB.lo, ofB.hi],
    contrast: test && asExpected(test),
    hedges: hedges && { g: hedges.g, ci95: [hedges.lo, hedges.hi] },
  };
  return compareTree(Object.fromEntries(reference.expect), got, RULES);
}

function asExpected({ ratio, lo, hi, df, p }: RatioTest): unknown {
  return { ratio, constant: p === null, df, p, ci95: lo === null ? null : [lo, hi] };
}
