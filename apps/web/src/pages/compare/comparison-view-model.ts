import {
  type Contrast,
  estimateTreatments,
  type TreatmentEstimate,
} from '@mqttlab/shared/analysis/contrasts';
import type { Finding } from '@mqttlab/shared/analysis/findings';
import { resultOf } from '@mqttlab/shared/analysis/result';
import { usualBaseline, usualResponse } from '@mqttlab/shared/analysis/run-values';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment, Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';
import { type ArrangementChoice, arrange } from './arrangement.ts';
import type { CompareState } from './compare-state.ts';
import type { Facet } from './facets.ts';
import { baselinesOf, factorOf, scaleEstimate, shownUnit } from './scaling.ts';

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
  /** What they let one say, the clearest first. */
  findings: Finding[];
  /** By how much values of a metric are multiplied to be shown; null: there is nothing to hold them against. */
  factorOf(treatment: ComparedTreatment, metric: MetricDefinition): number | null;
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
  const usual = usualBaseline({ ...comparison, treatments: shown });
  const baseline =
    shown.find(({ id }) => id === state.baseline) ?? shown.find(({ id }) => id === usual) ?? null;
  const { estimates, contrasts, findings } = resultOf({
    treatments: shown,
    baselineId: baseline?.id ?? '',
    metric,
    flagged: state.flagged,
    ...(pairs && baseline ? { pairs: pairs(baseline), names: { colourOf: colourName, rowOf: titleOf } } : {}),
  });
  const baselines = baselinesOf(contrasts);
  const factor: ComparisonViewModel['factorOf'] = (treatment, one) =>
    factorOf(treatment, one, { unit: state.unit, flagged: state.flagged, baselines });
  const multipleOf = (one: MetricDefinition): MetricMultiple => ({
    metric: one,
    unit: shownUnit(state.unit, one.unit),
    groups: groupEstimates(
      estimateTreatments(shown, { metric: one, flagged: state.flagged }).flatMap((entry) => {
        const by = factor(entry.treatment, one);
        return by === null ? [] : [{ ...entry, estimate: scaleEstimate(entry.estimate, by) }];
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
    findings,
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
