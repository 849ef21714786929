import { type Contrast, contrastTreatments } from '../../analysis/contrasts.ts';
import { contrastSentence } from '../../analysis/findings.ts';
import { isClear } from '../../analysis/result.ts';
import { findMetric } from '../../catalogue/metrics.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { StudyInput } from './study-input.ts';

type Pair = readonly [treatment: ComparedTreatment, baseline: ComparedTreatment];

/** One sentence for each pair, never stronger than its interval; p-values are adjusted over all of them. */
export function pairSentences(input: StudyInput, metricId: string, pairs: readonly Pair[]): string[] {
  const metric = findMetric(metricId);
  if (!metric || pairs.length === 0) return [];
  const contrasts = contrastPairs(input, metricId, pairs);
  // One run each: the same sentence for every pair would tell no more than one does.
  if (contrasts.length > 1 && contrasts.every(hasNoInterval)) {
    return [
      `${metric.label}: with one valid run of a configuration its difference from another has no interval; the table shows the values, and more repetitions would tell.`,
    ];
  }
  return contrasts.map((contrast) => contrastSentence(contrast, metric));
}

function hasNoInterval({ outcome }: Contrast): boolean {
  return outcome === 'few';
}

/** Of those pairs only that differ clearly. */
export function resolvedSentences(input: StudyInput, metricId: string, pairs: readonly Pair[]): string[] {
  const metric = findMetric(metricId);
  if (!metric || pairs.length === 0) return [];
  return contrastPairs(input, metricId, pairs)
    .filter(isClear)
    .map((contrast) => contrastSentence(contrast, metric));
}

export interface PairQuestion {
  metric: string;
  /** What the study found. */
  expected: 'lower' | 'higher';
  pairs: readonly Pair[];
}

/** "CPU, broker: as published in 2 of 4 pairs, the other way round in 1, unresolved in 1." Counts resolved pairs only. */
export function judgePairs(input: StudyInput, { metric, expected, pairs }: PairQuestion): string {
  const contrasts = contrastPairs(input, metric, pairs);
  const label = findMetric(metric)?.label ?? metric;
  const resolved = contrasts.filter(isClear);
  const agree = resolved.filter((one) => isAbove(one) === (expected === 'higher')).length;
  const open = contrasts.length - resolved.length;
  if (resolved.length === 0) {
    const none = contrasts.length === 1 ? 'the one pair' : `none of ${contrasts.length} pairs`;
    return `${label}: ${contrasts.length === 1 ? `${none} does not differ` : `${none} differs`} beyond what chance does with these repetitions.`;
  }
  const words = [
    ...(agree > 0 ? [`as published in ${agree} of ${contrasts.length} pairs`] : []),
    ...(agree < resolved.length
      ? [
          `the other way round in ${resolved.length - agree}${agree > 0 ? '' : ` of ${contrasts.length} pairs`}`,
        ]
      : []),
    ...(open > 0 ? [`not resolved in ${open}`] : []),
  ];
  return `${label}: ${words.join(', ')}.`;
}

function isAbove({ scale, value }: Contrast): boolean {
  return (value ?? 0) > (scale === 'ratio' ? 1 : 0);
}

function contrastPairs(input: StudyInput, metricId: string, pairs: readonly Pair[]): Contrast[] {
  const { treatments, flagged } = input;
  const metric = findMetric(metricId);
  if (!metric) return [];
  return contrastTreatments({ treatments, metric, flagged, pairs, baselineId: '' });
}

/** Those that have these levels. */
export function withLevels(
  treatments: readonly ComparedTreatment[],
  levels: Readonly<Record<string, string | number>>,
): ComparedTreatment[] {
  return treatments.filter(({ treatment }) =>
    Object.entries(levels).every(([id, value]) => treatment.levels[id] === value),
  );
}
