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

/** A panel: treatments with the same level of the panel factor. */
export type ComparedGroup = { title: string; estimates: TreatmentEstimate[] };

/** A metric with its panels. Intervals are absolute or in % of the baseline. */
export type MetricMultiple = { metric: MetricDefinition; unit: string; groups: ComparedGroup[] };

type ModelChoice = Pick<CompareState, 'metric' | 'baseline' | 'flagged' | 'more' | 'unit' | 'scale'> &
  ArrangementChoice;

export type ComparisonViewModel = NonNullable<ReturnType<typeof makeComparisonViewModel>>;

/**
 * Returns the comparison requested by the address; null only if the catalogue contains none of the metrics.
 */
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
  // Flagged runs shown on request are a preview and support no claim.
  const valid = state.flagged ? resultOf({ ...question, flagged: false }) : { contrasts, estimates };
  const baselines = baselinesOf(contrasts);
  /** Returns the factor that converts values of a metric to the displayed unit; null without a baseline. */
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
    /** Factors that differ between the treatments. */
    facets,
    shown,
    /** The response and the additional metrics. */
    multiples: [metric, ...new Set(others)].map(multipleOf),
    factorOf: factor,
    unit: state.unit,
    /** Whether flagged runs are included. */
    flagged: state.flagged,
    /** The selected scale of the axes. */
    scale: state.scale,
    /**
     * Scale of a metric's axis. By default, quantities that are compared as ratios have a logarithmic axis.
     */
    scaleOf: (one: MetricDefinition): 'linear' | 'log' => {
      if (state.scale !== 'auto') return state.scale;
      return one.quantity === 'positive' ? 'log' : 'linear';
    },
    /** The baseline of a treatment. A baseline is its own baseline. */
    baselineOf: (treatment: ComparedTreatment) => baselines.get(treatment.id),
    groups: groupEstimates(estimates, titleOf),
    contrasts,
    /** Findings, the clearest first. */
    findings,
    baseline,
    /** Name of the baseline's colour level. */
    baselineName: baseline ? colourName(baseline) : '',
    isBaselineColour: (entry: ComparedTreatment) =>
      baseline !== null && colourName(entry) === colourName(baseline),
    colourName,
    titleOf,
    identity,
    /** Short name and panel: "AES-256-GCM · QoS 1". */
    nameOf: (entry: ComparedTreatment) =>
      [identity(entry).shortLabel, titleOf(entry)].filter(Boolean).join(' · '),
    /** Numbers of used runs, omitted flagged runs and all runs. */
    usedRuns,
    flaggedOut: state.flagged ? 0 : flaggedRuns,
    allRuns,
    /** Why valid runs allow no comparison; null if they allow one. */
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

/** Groups estimates by panel, in the order of the treatments. */
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

/**
 * Returns the baseline of each treatment. A baseline is its own baseline. A treatment without a counterpart
 * has no entry.
 */
function baselinesOf(contrasts: readonly Contrast[]): Map<string, ComparedTreatment> {
  return new Map([
    ...contrasts.map(({ baseline }) => [baseline.id, baseline] as const),
    ...contrasts.map(({ treatment, baseline }) => [treatment.id, baseline] as const),
  ]);
}

type ScalingChoice = Pick<CompareState, 'unit' | 'flagged'> & {
  baselines: ReadonlyMap<string, ComparedTreatment>;
};

/** Returns the factor that converts values of this metric to the shown unit; null if they cannot be shown. */
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

/** Scales an estimate. Returns an empty estimate if the factor is null. */
export function scaleEstimate(estimate: Estimate, factor: number | null): Estimate {
  const by = (value: number | null) => (value === null || factor === null ? null : value * factor);
  return { ...estimate, value: by(estimate.value), lo: by(estimate.lo), hi: by(estimate.hi) };
}

export function shownUnit(unit: CompareState['unit'], absolute: string): string {
  return unit === 'baseline' ? '%' : absolute;
}

/** Note on every chart in percent, whose intervals do not include the uncertainty of the baseline. */
export const percentNote = 'of its baseline; intervals do not include the uncertainty of the baseline';

/** Keeps only the named panel, or the first one. Figures, contrasts and sentences still cover all panels. */
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

/** Fades all treatments except the selected ones. Fades none if none is selected. */
export function withMarks(model: ComparisonViewModel, marked: readonly string[]): ComparisonViewModel {
  const chosen = new Set(model.shown.map(({ id }) => id).filter((id) => marked.includes(id)));
  if (chosen.size === 0) return model;
  return { ...model, identity: (entry) => ({ ...model.identity(entry), isDimmed: !chosen.has(entry.id) }) };
}
