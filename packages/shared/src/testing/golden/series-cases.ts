import {
  isConstant,
  quantiles,
  summariseBox,
  summariseValues,
} from '../../statistics/descriptive/summary.ts';
import { augmentedDickeyFuller } from '../../statistics/series/adf.ts';
import {
  autocorrelation,
  ljungBox,
  partialAutocorrelation,
  whiteNoiseBand95,
} from '../../statistics/series/autocorrelation.ts';
import { optimalBlockLength } from '../../statistics/series/block-length.ts';
import { compareTree, type GoldenMismatch, type TreeRules, tolerances } from './compare-tree.ts';
import type { GoldenCase } from './golden-file.ts';

const LEVELS = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];

const RULES: TreeRules = {
  tolerance: tolerances([
    [/^(min|max|sum)$/, 1e-9, 1e-12],
    [/^mean$/, 1e-10, 1e-12],
    [/^(sd|variance|cv)$/, 0, 1e-9],
    [/^box\.\w*outliers/i, 0, 0],
    [/^(quantiles|box)\./, 1e-9, 1e-12],
    [/^p?acf\[/, 1e-8, 0],
    [/^whiteNoiseBand95$/, 1e-12, 0],
    [/^ljungBox.*\.q$/, 1e-8, 1e-9],
    [/^ljungBox.*\.p$/, 1e-9, 1e-6],
    [/^adf\.statistic$/, 1e-7, 1e-7],
    [/^adf\.pValue$/, 1e-7, 1e-5],
    [/^adf\.crit/, 1e-9, 0],
    [/^adf\.(icBest|aicGap)$/, 1e-6, 0],
    [/^optimalBlock\.(stationary|circular|band|g|longRunVariance|uncapped\w+)$/, 1e-7, 1e-7],
  ]),
  ignored: /^(pacfYwmVsLdbMaxAbsDiff|optimalBlock\.bandMargin|adf\.optional)$/,
};

// The definition leaves series below 20 values free for the unit-root test.
const SHORT_RULES: TreeRules = { ...RULES, ignored: new RegExp(`${RULES.ignored!.source}|^adf`) };

// Of a constant series numpy may keep a spread of some 1e-16 of the mean; by definition it is 0.
const CONSTANT_RULES: TreeRules = {
  ...RULES,
  tolerance: (path) => (/^(sd|variance|cv)$/.test(path) ? { abs: 1e-9, rel: 0 } : RULES.tolerance(path)),
};

/** Describes one series and compares every figure. */
export function checkSeries(reference: GoldenCase): GoldenMismatch[] {
  const values = reference.series('data');
  const levels = quantiles(values, LEVELS);
  const block = optimalBlockLength(values);
  const got = {
    ...summariseValues(values),
    quantiles: Object.fromEntries(LEVELS.map((level, i) => [String(level), levels?.[i]])),
    box: summariseBox(values),
    acfLags: Math.min(60, values.length - 1),
    acf: autocorrelation(values),
    whiteNoiseBand95: whiteNoiseBand95(values.length),
    pacfLags: Math.min(60, Math.floor(values.length / 2)),
    pacf: partialAutocorrelation(values),
    ljungBox: [10, 20].map((lag) => attempt(() => ljungBox(values, lag)) ?? { lag, q: null, p: null }),
    adf: augmentedDickeyFuller(values),
    // In use the block is at least 1; the reference rounds the bare figure.
    optimalBlock: block && { ...block, circularCeil: Math.ceil(block.circular) },
  };
  const short = values.length < 20 && reference.expect.get('adf') !== null;
  const expected = Object.fromEntries(reference.expect);
  if (values.length > 1 && isConstant(values)) {
    return compareTree({ ...expected, optimalBlock: null }, got, CONSTANT_RULES);
  }
  return compareTree(expected, got, short ? SHORT_RULES : RULES);
}

/** Result of a computation, or null if it refuses its input with a RangeError (as for undefined cases). */
export function attempt<T>(compute: () => T): T | null {
  try {
    return compute();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
