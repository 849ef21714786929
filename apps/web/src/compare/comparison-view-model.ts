import {
  type Contrast,
  contrastTreatments,
  estimateTreatments,
  type TreatmentEstimate,
} from '@mqttlab/shared/analysis/contrasts';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment, Comparison } from '@mqttlab/shared/domain/comparison';
import type { MetricDefinition } from '@mqttlab/shared/domain/metric';
import type { TreatmentIdentity } from '../ui/treatment.ts';
import { type ArrangementChoice, arrange } from './arrangement.ts';
import type { CompareState } from './compare-state.ts';
import type { Facet } from './facets.ts';

/** A panel: treatments that share what makes panels. */
export type ComparedGroup = { title: string; estimates: TreatmentEstimate[] };

export type ComparisonViewModel = {
  metric: MetricDefinition;
  /** What differs between the treatments. */
  facets: Facet[];
  shown: ComparedTreatment[];
  groups: ComparedGroup[];
  contrasts: Contrast[];
  baseline: ComparedTreatment | null;
  /** What each treatment is held against: the baseline's colour in words. */
  baselineName: string;
  titleOf(treatment: ComparedTreatment): string;
  identity(treatment: ComparedTreatment): TreatmentIdentity;
  /** Valid runs used, and those there are. */
  usedRuns: number;
  allRuns: number;
};

export type ModelChoice = Pick<CompareState, 'metric' | 'baseline' | 'flagged'> & ArrangementChoice;

const fallbackMetric = 'latency.p50';

/** The comparison as the address asks for it. null only when the catalogue lacks every metric. */
export function makeComparisonViewModel(
  comparison: Comparison,
  state: ModelChoice,
): ComparisonViewModel | null {
  const metric = findMetric(state.metric) ?? findMetric(fallbackMetric);
  if (!metric) return null;
  const { facets, shown, titleOf, identity, colourName, pairs } = arrange(comparison, state);
  const baseline = shown.find((entry) => entry.id === state.baseline) ?? shown[0] ?? null;
  const choice = { metric: metric.id, flagged: state.flagged };
  const estimates = estimateTreatments(shown, choice);
  const question = { treatments: shown, baselineId: baseline?.id ?? '', ...choice };
  return {
    metric,
    facets,
    shown,
    groups: groupEstimates(estimates, titleOf),
    contrasts: contrastTreatments(pairs && baseline ? { ...question, pairs: pairs(baseline) } : question),
    baseline,
    baselineName: baseline ? colourName(baseline) : '',
    titleOf,
    identity,
    usedRuns: estimates.reduce((sum, estimate) => sum + estimate.values.length, 0),
    allRuns: shown.reduce((sum, entry) => sum + entry.runs.length, 0),
  };
}

/** Estimates by panel, in the order of the treatments. */
export function groupEstimates(
  estimates: readonly TreatmentEstimate[],
  titleOf: ComparisonViewModel['titleOf'],
): ComparedGroup[] {
  const groups = new Map<string, ComparedGroup>();
  for (const estimate of estimates) {
    const title = titleOf(estimate.treatment);
    const group = groups.get(title) ?? { title, estimates: [] };
    group.estimates.push(estimate);
    groups.set(title, group);
  }
  return [...groups.values()];
}
