import { checkBootstrap } from './bootstrap-cases.ts';
import type { GoldenMismatch } from './compare-tree.ts';
import { checkAggregate, checkBattery, checkEnergy, checkPareto, checkSensitivity } from './domain-cases.ts';
import { type GoldenCase, GoldenFormatError, parseGoldenFile } from './golden-file.ts';
import {
  checkAdaptiveStop,
  checkKSample,
  checkMultipleTesting,
  checkPaired,
  checkRunMeans,
  checkTwoSample,
} from './group-cases.ts';
import { checkHistogram } from './histogram-cases.ts';
import { checkPositive } from './positive-cases.ts';
import { checkRandomness } from './randomness-cases.ts';
import { checkSeries } from './series-cases.ts';

const CHECKS: ReadonlyMap<string, (reference: GoldenCase) => GoldenMismatch[]> = new Map([
  ['series', checkSeries],
  ['twoSample', checkTwoSample],
  ['paired', checkPaired],
  ['kSample', checkKSample],
  ['multipleTesting', checkMultipleTesting],
  ['runMeans', checkRunMeans],
  ['adaptiveStop', checkAdaptiveStop],
  ['bootstrap', checkBootstrap],
  ['sp80022', checkRandomness],
  ['aggregate', checkAggregate],
  ['energy', checkEnergy],
  ['battery', checkBattery],
  ['sensitivity', checkSensitivity],
  ['pareto', checkPareto],
  ['hdr', checkHistogram],
  ['positive', checkPositive],
]);

export interface GoldenOutcome {
  section: string;
  id: string;
  mismatches: GoldenMismatch[];
}

/**
 * Runs every case of a parsed reference file (schema `mqttlab-golden/1` or `/2`) through the statistics.
 * Throws GoldenFormatError on a file that cannot be understood; a case that throws anything else fails.
 */
export function runGolden(input: unknown): GoldenOutcome[] {
  return parseGoldenFile(input, new Set(CHECKS.keys())).map((reference) => ({
    section: reference.section,
    id: reference.id,
    mismatches: checkCase(reference),
  }));
}

function checkCase(reference: GoldenCase): GoldenMismatch[] {
  try {
    return CHECKS.get(reference.section)!(reference);
  } catch (error) {
    if (error instanceof GoldenFormatError) throw error;
    return [{ field: '(computation)', expected: 'no error', got: String(error) }];
  }
}
