import { cliffsDelta, cohensDz, standardisedDifference } from '../../statistics/comparisons/effect-size.ts';
import { friedman, kruskalWallis } from '../../statistics/comparisons/k-sample.ts';
import { mannWhitney } from '../../statistics/comparisons/mann-whitney.ts';
import {
  adjustBenjaminiHochberg,
  adjustBonferroni,
  adjustHolm,
} from '../../statistics/comparisons/multiple-testing.ts';
import {
  pairDifferences,
  pairedTest,
  studentTest,
  type TTest,
  welchTest,
} from '../../statistics/comparisons/t-test.ts';
import { wilcoxonSignedRank } from '../../statistics/comparisons/wilcoxon.ts';
import { coefficientOfVariation, isConstant, mean } from '../../statistics/descriptive/summary.ts';
import { meanInterval, stopReason } from '../../statistics/estimates/interval.ts';
import { compareTree, type GoldenMismatch, type TreeRules, tolerances } from './compare-tree.ts';
import type { GoldenCase } from './golden-file.ts';

const TESTS: TreeRules = {
  tolerance: tolerances([
    [/^n$|nonZero$/, 0, 0],
    [/(^|\.)(p|pExact)$/, 1e-9, 1e-6],
    [/^cliffsDelta$|\.u[AB]$/, 1e-12, 0],
    [/./, 1e-9, 1e-8],
  ]),
};
const EVERY_12: TreeRules = { tolerance: () => ({ abs: 1e-12, rel: 0 }) };
const INTERVALS: TreeRules = {
  tolerance: tolerances([
    [/^(n|df)$/, 0, 0],
    [/./, 1e-9, 1e-9],
  ]),
};
const STOPS: TreeRules = { tolerance: tolerances([[/relHalfWidth$/, 1e-9, 1e-9]]) };

// Of two constant groups numpy may keep a spread of some 1e-16 and divide by it.
const NO_SPREAD = { welch: null, studentT: null, cohensD: null, hedgesG: null, hedgesGExact: null };

function compare(reference: GoldenCase, got: unknown, rules: TreeRules): GoldenMismatch[] {
  return compareTree(Object.fromEntries(reference.expect), got, rules);
}

function withInterval(test: TTest | null): unknown {
  return test && { ...test, ci95: [test.lo, test.hi] };
}

export function checkTwoSample(reference: GoldenCase): GoldenMismatch[] {
  const [a, b] = [reference.series('a'), reference.series('b')];
  const got = {
    meanDiff: mean(a)! - mean(b)!,
    ...standardisedDifference(a, b),
    cliffsDelta: cliffsDelta(a, b),
    welch: withInterval(welchTest(a, b)),
    studentT: studentTest(a, b),
    mannWhitney: mannWhitney(a, b),
  };
  const undefinedByDefinition = isConstant(a) && isConstant(b) ? NO_SPREAD : {};
  return compareTree({ ...Object.fromEntries(reference.expect), ...undefinedByDefinition }, got, TESTS);
}

export function checkPaired(reference: GoldenCase): GoldenMismatch[] {
  const [a, b] = [reference.series('a'), reference.series('b')];
  const got = {
    n: a.length,
    meanDiff: mean(pairDifferences(a, b)),
    pairedT: withInterval(pairedTest(a, b)),
    cohensDz: cohensDz(a, b),
    wilcoxon: wilcoxonSignedRank(a, b),
  };
  return compare(reference, got, TESTS);
}

export function checkKSample(reference: GoldenCase): GoldenMismatch[] {
  const groups = reference.seriesList('groups');
  return compare(reference, { kruskalWallis: kruskalWallis(groups), friedman: friedman(groups) }, TESTS);
}

export function checkMultipleTesting(reference: GoldenCase): GoldenMismatch[] {
  const p = reference.numbers('p');
  const got = { holm: adjustHolm(p), bonferroni: adjustBonferroni(p), bh: adjustBenjaminiHochberg(p) };
  return compare(reference, got, EVERY_12);
}

export function checkRunMeans(reference: GoldenCase): GoldenMismatch[] {
  const values = reference.numbers('runMeans');
  const got = {
    ...meanInterval(values),
    cv: coefficientOfVariation(values),
    ci90: meanInterval(values, 0.9),
    ci95: meanInterval(values, 0.95),
    ci99: meanInterval(values, 0.99),
  };
  // Below two values the mean stays defined, so the interval is nulled as a whole.
  const none = { ci90: null, ci95: null, ci99: null };
  return compare(reference, values.length < 2 ? { ...got, ...none } : got, INTERVALS);
}

/** The rule looked at after every run, in their order. */
export function checkAdaptiveStop(reference: GoldenCase): GoldenMismatch[] {
  const [target, minRuns, maxRuns] = ['target', 'rMin', 'rMax'].map((name) => reference.number(name));
  const level = reference.number('level');
  const means = reference.numbers('runMeans');
  const rule = { target: target!, minRuns: minRuns!, maxRuns: maxRuns! };
  const steps = means.slice(1).map((_, index) => {
    const { relHalfWidth } = meanInterval(means.slice(0, index + 2), level);
    return { r: index + 2, relHalfWidth };
  });
  const reasons = steps.map(({ r, relHalfWidth }) =>
    stopReason({ relHalfWidths: [relHalfWidth], runs: r }, rule),
  );
  const at = reasons.findIndex((reason) => reason !== null);
  return compare(
    reference,
    { steps, stopAt: steps[at]?.r ?? null, reason: reasons[at] ?? 'exhausted' },
    STOPS,
  );
}
