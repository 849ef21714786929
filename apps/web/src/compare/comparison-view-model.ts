import { usualResponse } from '@mqttlab/shared/analysis/choose-measured';
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
import { baselinesOf, factorOf, scaleInterval, shownUnit } from './scaling.ts';

/** A panel: treatments that share what makes panels. */
export type ComparedGroup = { title: string; estimates: TreatmentEstimate[] };

/** A metric with its panels, intervals as shown: absolute, or in % of each one's baseline. */
export type MetricMultiple = { metric: MetricDefinition; unit: string; groups: ComparedGroup[] };

export type ComparisonViewModel = {
  metric: MetricDefinition;
  /** What differs between the treatments. */
  facets: Facet[];
  shown: ComparedTreatment[];
  groups: ComparedGroup[];
  /** The response, and whatever metrics were put beside it. */
  multiples: MetricMultiple[];
  contrasts: Contrast[];
  /** By how much values of a metric are multiplied to be shown; null: there is nothing to hold them against. */
  factorOf(treatment: ComparedTreatment, metric: string): number | null;
  unit: CompareState['unit'];
  /** Flagged runs are taken in. */
  flagged: boolean;
  scale: CompareState['scale'];
  /** What a treatment is held against, itself where it is a baseline. */
  baselineOf(treatment: ComparedTreatment): ComparedTreatment | undefined;
  baseline: ComparedTreatment | null;
  /** What each treatment is held against: the baseline's colour in words. */
  baselineName: string;
  titleOf(treatment: ComparedTreatment): string;
  identity(treatment: ComparedTreatment): TreatmentIdentity;
  /** Runs used, runs left out because they are flagged, and those there are. */
  usedRuns: number;
  flaggedOut: number;
  allRuns: number;
};

export type ModelChoice = Pick<CompareState, 'metric' | 'baseline' | 'flagged' | 'more' | 'unit' | 'scale'> &
  ArrangementChoice;

/** The comparison as the address asks for it. null only when the catalogue lacks every metric. */
export function makeComparisonViewModel(
  comparison: Comparison,
  state: ModelChoice,
): ComparisonViewModel | null {
  const metric = findMetric(state.metric) ?? findMetric(usualResponse(comparison));
  if (!metric) return null;
  const { facets, shown, titleOf, identity, colourName, pairs } = arrange(comparison, state);
  const baseline = shown.find((entry) => entry.id === state.baseline) ?? shown[0] ?? null;
  const choice = { metric: metric.id, flagged: state.flagged };
  const estimates = estimateTreatments(shown, choice);
  const question = { treatments: shown, baselineId: baseline?.id ?? '', ...choice };
  const contrasts = contrastTreatments(
    pairs && baseline ? { ...question, pairs: pairs(baseline) } : question,
  );
  const baselines = baselinesOf(contrasts);
  const factor: ComparisonViewModel['factorOf'] = (treatment, id) =>
    factorOf(treatment, id, { unit: state.unit, flagged: state.flagged, baselines });
  const multipleOf = (one: MetricDefinition): MetricMultiple => ({
    metric: one,
    unit: shownUnit(state.unit, one.unit),
    groups: groupEstimates(
      estimateTreatments(shown, { metric: one.id, flagged: state.flagged }).flatMap((estimate) => {
        const by = factor(estimate.treatment, one.id);
        return by === null ? [] : [{ ...estimate, interval: scaleInterval(estimate.interval, by) }];
      }),
      titleOf,
    ),
  });
  const others = state.more.filter((id) => id !== metric.id).flatMap((id) => findMetric(id) ?? []);
  return {
    metric,
    facets,
    shown,
    multiples: [metric, ...new Set(others)].map(multipleOf),
    factorOf: factor,
    unit: state.unit,
    flagged: state.flagged,
    scale: state.scale,
    baselineOf: (treatment) => baselines.get(treatment.id),
    groups: groupEstimates(estimates, titleOf),
    contrasts,
    baseline,
    baselineName: baseline ? colourName(baseline) : '',
    titleOf,
    identity,
    usedRuns: estimates.reduce((sum, estimate) => sum + estimate.values.length, 0),
    flaggedOut: state.flagged ? 0 : shown.flatMap(({ runs }) => runs).filter(({ flagged }) => flagged).length,
    allRuns: shown.reduce((sum, entry) => sum + entry.runs.length, 0),
  };
}

/** Estimates by panel, in the order of the treatments. */
function groupEstimates(
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
