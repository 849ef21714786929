import { type Contrast, contrastTreatments } from '../../analysis/contrasts.ts';
import { contrastSentence } from '../../analysis/findings.ts';
import { isClear } from '../../analysis/result.ts';
import { findMetric } from '../../catalogue/metrics.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import type { StudyInput } from './study-input.ts';

export type Pair = readonly [treatment: ComparedTreatment, baseline: ComparedTreatment];

/** One sentence for each pair, never stronger than its interval; p-values are adjusted over all of them. */
export function pairSentences(input: StudyInput, metricId: string, pairs: readonly Pair[]): string[] {
  const { metric, contrasts } = comparePairs(input, metricId, pairs);
  if (!metric) return [];
  // One run each: the same sentence for every pair would tell no more than one does.
  if (contrasts.length > 1 && contrasts.every(({ outcome }) => outcome === 'few')) {
    return [
      `${metric.label}: with one valid run of a configuration its difference from another has no interval; the table shows the values, and more repetitions would tell.`,
    ];
  }
  return contrasts.map((contrast) => contrastSentence(contrast, metric));
}

/** Of those pairs only that differ clearly. */
export function resolvedSentences(input: StudyInput, metricId: string, pairs: readonly Pair[]): string[] {
  const { metric, contrasts } = comparePairs(input, metricId, pairs);
  return metric ? contrasts.filter(isClear).map((contrast) => contrastSentence(contrast, metric)) : [];
}

interface PairQuestion {
  metric: string;
  /** What the study found. */
  expected: 'lower' | 'higher';
  pairs: readonly Pair[];
}

/** "CPU, broker: as published in 2 of 4 pairs, the other way round in 1, unresolved in 1." Counts resolved pairs only. */
export function judgePairs(input: StudyInput, question: PairQuestion): string {
  const { metric, contrasts } = comparePairs(input, question.metric, question.pairs);
  const label = metric?.label ?? question.metric;
  const all = contrasts.length;
  const resolved = contrasts.filter(isClear);
  const agree = resolved.filter((one) => isAbove(one) === (question.expected === 'higher')).length;
  const [against, open] = [resolved.length - agree, all - resolved.length];
  if (resolved.length === 0) {
    const none = all === 1 ? 'the one pair does not differ' : `none of ${all} pairs differs`;
    return `${label}: ${none} beyond what chance does with these repetitions.`;
  }
  if (all === 1) return `${label}: ${agree > 0 ? 'as published' : 'the other way round'}.`;
  const words = [
    agree > 0 ? `as published in ${agree} of ${all} pairs` : '',
    against > 0 ? `the other way round in ${against}${agree > 0 ? '' : ` of ${all} pairs`}` : '',
    open > 0 ? `not resolved in ${open}` : '',
  ];
  return `${label}: ${words.filter(Boolean).join(', ')}.`;
}

function isAbove({ scale, value }: Contrast): boolean {
  return (value ?? 0) > (scale === 'ratio' ? 1 : 0);
}

function comparePairs(
  { treatments, flagged }: StudyInput,
  metricId: string,
  pairs: readonly Pair[],
): { metric: MetricDefinition | undefined; contrasts: Contrast[] } {
  const metric = findMetric(metricId);
  if (!metric || pairs.length === 0) return { metric, contrasts: [] };
  return { metric, contrasts: contrastTreatments({ treatments, metric, flagged, pairs, baselineId: '' }) };
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
