import {
  type Contrast,
  estimateTreatments,
  type TreatmentEstimate,
} from '@mqttlab/shared/analysis/contrasts';
import { type Estimate, estimateValues } from '@mqttlab/shared/analysis/estimate';
import { whyNothingCompared } from '@mqttlab/shared/analysis/headline';
import { resultOf } from '@mqttlab/shared/analysis/result';
import { runValues, usualBaseline, usualResponse } from '@mqttlab/shared/analysis/run-values';
import { isFlaggedFor } from '@mqttlab/shared/catalogue/flags';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment, Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import { type ArrangementChoice, arrange } from './arrangement.ts';
import type { CompareState } from './compare-state.ts';

/** A panel: treatments that share what makes panels. */
export type ComparedGroup = { title: string; estimates: TreatmentEstimate[] };

/** A metric with its panels, intervals as shown: absolute, or in % of each one's baseline. */
export type MetricMultiple = { metric: MetricDefinition; unit: string; groups: ComparedGroup[] };

type ModelChoice = Pick<CompareState, 'metric' | 'baseline' | 'flagged' | 'more' | 'unit' | 'scale'> &
  ArrangementChoice;

export type ComparisonViewModel = NonNullable<ReturnType<typeof makeComparisonViewModel>>;

/** The comparison as the address asks for it. null only when the catalogue lacks every metric. */
export function makeComparisonViewModel(comparison: Comparison, state: ModelChoice) {
  const metric = findMetric(state.metric) ?? findMetric(usualResponse(comparison));
  if (!metric) return null;
  const { facets, shown, titleOf, identity, colourName, pairs } = arrange(comparison, state);
  const usual = usualBaseline({ ...comparison, treatments: shown });
  const baseline =
    shown.find(({ id }) => id === state.baseline) ?? shown.find(({ id }) => id === usual) ?? null;
  const question = {
    treatments: shown,
    baselineId: baseline?.id ?? '',
    metric,
    ...(pairs && baseline ? { pairs: pairs(baseline), names: { colourOf: colourName, rowOf: titleOf } } : {}),
  };
  const { estimates, contrasts, findings } = resultOf({ ...question, flagged: state.flagged });
  const usedRuns = countValues(estimates);
  const flaggedRuns = shown.flatMap(({ runs }) => runs).filter((run) => isFlaggedFor(run, metric)).length;
  const allRuns = shown.reduce((sum, entry) => sum + entry.runs.length, 0);
  // Flagged runs that are shown on request are a preview, on which no claim rests.
  const valid = state.flagged ? resultOf({ ...question, flagged: false }) : { contrasts, estimates };
  const baselines = baselinesOf(contrasts);
  /** By how much values of a metric are multiplied to be shown; null: there is nothing to hold them against. */
  const factor = (treatment: ComparedTreatment, one: MetricDefinition): number | null =>
    factorOf(treatment, one, { unit: state.unit, flagged: state.flagged, baselines });
  const multipleOf = (one: MetricDefinition): MetricMultiple => ({
    metric: one,
    unit: shownUnit(state.unit, one.unit),
    groups: groupEstimates(
      estimateTreatments(shown, { metric: one, flagged: state.flagged }).map((entry) => ({
        ...entry,
        estimate: scaleEstimate(entry.estimate, factor(entry.treatment, one)),
      })),
      titleOf,
    ),
  });
  const others = state.more.filter((id) => id !== metric.id).flatMap((id) => findMetric(id) ?? []);
  return {
    metric,
    /** What differs between the treatments. */
    facets,
    shown,
    /** The response, and whatever metrics were put beside it. */
    multiples: [metric, ...new Set(others)].map(multipleOf),
    factorOf: factor,
    unit: state.unit,
    /** Flagged runs are included. */
    flagged: state.flagged,
    scale: state.scale,
    /** What a treatment is held against, itself where it is a baseline. */
    baselineOf: (treatment: ComparedTreatment) => baselines.get(treatment.id),
    groups: groupEstimates(estimates, titleOf),
    contrasts,
    /** What they let one say, the clearest first. */
    findings,
    baseline,
    /** What each treatment is held against: the baseline's colour in words. */
    baselineName: baseline ? colourName(baseline) : '',
    isBaselineColour: (entry: ComparedTreatment) =>
      baseline !== null && colourName(entry) === colourName(baseline),
    colourName,
    titleOf,
    identity,
    /** Short name and panel: "AES-256-GCM · QoS 1". */
    nameOf: (entry: ComparedTreatment) =>
      [identity(entry).shortLabel, titleOf(entry)].filter(Boolean).join(' · '),
    /** Runs used, runs left out because they are flagged, and those there are. */
    usedRuns,
    flaggedOut: state.flagged ? 0 : flaggedRuns,
    allRuns,
    /** Why valid runs allow no comparison; null if they do. */
    whyNothing: whyNothingCompared(metric, {
      contrasts: valid.contrasts,
      usedRuns: countValues(valid.estimates),
      flaggedOut: flaggedRuns,
      allRuns,
    }),
  };
}

function countValues(estimates: readonly TreatmentEstimate[]): number {
  return estimates.reduce((sum, { values }) => sum + values.length, 0);
}

/** Estimates by panel, in the order of the treatments. */
function groupEstimates(
  estimates: readonly TreatmentEstimate[],
  titleOf: (treatment: ComparedTreatment) => string,
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

/** What each treatment is held against; a baseline against itself; none where there is no counterpart. */
function baselinesOf(contrasts: readonly Contrast[]): Map<string, ComparedTreatment> {
  return new Map([
    ...contrasts.map(({ baseline }) => [baseline.id, baseline] as const),
    ...contrasts.map(({ treatment, baseline }) => [treatment.id, baseline] as const),
  ]);
}

type ScalingChoice = Pick<CompareState, 'unit' | 'flagged'> & {
  baselines: ReadonlyMap<string, ComparedTreatment>;
};

/** By how much values of this metric are multiplied to be shown; null where they cannot be shown. */
function factorOf(
  treatment: ComparedTreatment,
  metric: MetricDefinition,
  { unit, flagged, baselines }: ScalingChoice,
): number | null {
  if (unit === 'absolute') return 1;
  const baseline = baselines.get(treatment.id);
  if (!baseline) return null;
  const values = runValues(baseline, { metric: metric.id, flagged });
  const { value } = estimateValues(
    values.map((entry) => entry.value),
    metric,
  );
  return value !== null && value > 0 ? 100 / value : null;
}

/** An estimate times a factor; without one there is nothing to show. */
export function scaleEstimate(estimate: Estimate, factor: number | null): Estimate {
  const by = (value: number | null) => (value === null || factor === null ? null : value * factor);
  return { ...estimate, value: by(estimate.value), lo: by(estimate.lo), hi: by(estimate.hi) };
}

export function shownUnit(unit: CompareState['unit'], absolute: string): string {
  return unit === 'baseline' ? '%' : absolute;
}

/** Said under every picture in per cent, since the interval leaves the baseline's own doubt out. */
export const percentNote = 'of its baseline, whose own interval is not in these';

/** Of its panels the named one only, else the first; figures, contrasts and sentences stay those of all. */
export function withPanel(model: ComparisonViewModel, panel: string | null): ComparisonViewModel {
  const [first] = model.groups;
  const title = model.groups.some((group) => group.title === panel) ? panel : first?.title;
  const only = (groups: readonly ComparedGroup[]) => groups.filter((group) => group.title === title);
  return {
    ...model,
    groups: only(model.groups),
    multiples: model.multiples.map((multiple) => ({ ...multiple, groups: only(multiple.groups) })),
  };
}

/** The same comparison with every treatment set back but those chosen; none chosen, none set back. */
export function withMarks(model: ComparisonViewModel, marked: readonly string[]): ComparisonViewModel {
  const chosen = new Set(model.shown.map(({ id }) => id).filter((id) => marked.includes(id)));
  if (chosen.size === 0) return model;
  return { ...model, identity: (entry) => ({ ...model.identity(entry), isDimmed: !chosen.has(entry.id) }) };
}
