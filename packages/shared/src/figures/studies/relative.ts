import { type Contrast, contrastTreatments } from '../../analysis/contrasts.ts';
import { contrastSentence } from '../../analysis/sentence.ts';
import { findMetric } from '../../catalogue/metrics.ts';
import type { ComparedTreatment } from '../../domain/comparison.ts';
import type { StudyInput } from './study-input.ts';

type Pair = readonly [treatment: ComparedTreatment, baseline: ComparedTreatment];

/** One sentence for each pair, never stronger than its interval; p-values are adjusted over all of them. */
export function pairSentences(input: StudyInput, metricId: string, pairs: readonly Pair[]): string[] {
  const metric = findMetric(metricId);
  if (!metric || pairs.length === 0) return [];
  return contrastPairs(input, metricId, pairs).map((contrast) => contrastSentence(contrast, metric));
}

function contrastPairs(input: StudyInput, metric: string, pairs: readonly Pair[]): Contrast[] {
  const { treatments, flagged } = input;
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
