import { mean, quantile } from '../../statistics/descriptive/summary.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { compareTree, type GoldenMismatch, type TreeRules, tolerances } from './compare-tree.ts';
import { type GoldenCase, parseFields } from './golden-file.ts';

const RULES: TreeRules = { tolerance: tolerances([[/^correctedExact\.(meanUs|quantilesUs)/, 1e-6, 0]]) };
const PERCENTS = [50, 75, 90, 95, 99, 99.9, 100];

/** Bit-for-bit comparison of the latency histogram with HdrHistogram, plain and corrected. */
export function checkHistogram(reference: GoldenCase): GoldenMismatch[] {
  const range = {
    lowest: reference.number('lowest'),
    highest: reference.number('highest'),
    significantDigits: reference.number('significantDigits'),
  };
  const intervalUs = reference.number('expectedIntervalUs');
  const values = reference.series('data').map((ms) => Math.max(1, Math.floor(ms * 1000 + 0.5)));
  const plain = new LatencyHistogram(range);
  const corrected = new LatencyHistogram(range);
  for (const value of values) {
    plain.record(value);
    corrected.recordCorrected(value, intervalUs);
  }
  const expanded = values.flatMap((value) => expand(value, intervalUs));
  const exact = parseFields(reference.expect.get('correctedExact'), 'correctedExact');
  const levels = [...parseFields(exact.get('quantilesUs'), 'quantilesUs').keys()];
  const got = {
    plain: describe(plain),
    corrected: describe(corrected),
    correctedExact: {
      count: expanded.length,
      meanUs: mean(expanded),
      quantilesUs: Object.fromEntries(levels.map((level) => [level, quantile(expanded, Number(level))])),
    },
  };
  return compareTree(Object.fromEntries(reference.expect), got, RULES);
}

function describe(histogram: LatencyHistogram): unknown {
  return {
    totalCount: histogram.count,
    minRaw: histogram.minUs,
    maxRaw: histogram.maxUs,
    percentiles: Object.fromEntries(PERCENTS.map((percent) => [percent, histogram.percentile(percent)])),
  };
}

function expand(value: number, intervalUs: number): number[] {
  const all = [value];
  for (let missing = value - intervalUs; missing >= intervalUs; missing -= intervalUs) all.push(missing);
  return all;
}
