import { isFlaggedFor } from '../../catalogue/flags.ts';
import type {
  ReportContrast,
  ReportEffect,
  ReportEstimate,
  ReportFinding,
  ReportResponse,
} from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import { countingAttempts } from '../../domain/runs/run.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { formatInterval } from '../../format/interval.ts';
import {
  cliffsDelta,
  hedgesInterval,
  standardisedDifference,
} from '../../statistics/comparisons/effect-size.ts';
import { coefficientOfVariation, standardDeviation } from '../../statistics/descriptive/summary.ts';
import { alpha, type Contrast, contrastTreatments, type TreatmentEstimate } from '../contrasts.ts';
import { type Estimate, minRuns } from '../estimate.ts';
import { reasonOf } from '../findings.ts';
import { nounOf, phraseOf, titleOf } from '../phrase.ts';
import { resultOf } from '../result.ts';
import { differingBases } from '../run-values.ts';
import { estimateEffects } from './effects.ts';
import { compareMethods } from './other-methods.ts';
import { type ReportContext, valuesIn } from './report-input.ts';

/** One metric over the whole design: means, contrasts, effects, and what can be said. */
export function reportResponse(
  context: ReportContext,
  metric: MetricDefinition,
  { isLead }: { isLead: boolean },
): ReportResponse {
  const { all: treatments, baselineId } = context;
  const flagged = context.input.takesFlagged;
  const { estimates: found, contrasts, findings } = resultOf({ treatments, baselineId, metric, flagged });
  const estimates = found.map((estimate) => describe(estimate, context, metric));
  const { effects, note } = estimateEffects(context, metric);
  const widths = found.flatMap(({ estimate }) => estimate.relHalfWidth ?? []);
  return {
    metric: metric.id,
    label: metric.label,
    unit: metric.unit,
    better: metric.better,
    estimates,
    contrasts: contrasts.map((one) => contrastRow(one, context.level)),
    otherMethods: isLead ? compareMethods(contrasts, found) : null,
    between: isLead ? pairsOf(context, metric, contrasts) : [],
    effects,
    effectsNote: note,
    precision: {
      best: widths.length > 0 ? Math.min(...widths) : null,
      worst: widths.length > 0 ? Math.max(...widths) : null,
    },
    findings: [
      ...(context.plan.treatments.length === 1 ? found.flatMap((own) => aloneFinding(metric, own)) : []),
      ...findings.map(({ kind, text }) => ({ kind, text })),
      ...interactionFinding(metric, effects),
    ],
  };
}

/** Every other pair that shares its row, each taken once; a family of its own for Holm. */
function pairsOf(
  { all: treatments, input, level }: ReportContext,
  metric: MetricDefinition,
  told: readonly Contrast[],
): ReportContrast[] {
  const keyOf = (one: ComparedTreatment, other: ComparedTreatment) => [one.id, other.id].sort().join('\n');
  const known = new Set(told.map(({ treatment, baseline }) => keyOf(treatment, baseline)));
  const rows = Map.groupBy(treatments, ({ treatment }) => treatment.rowLabel);
  const pairs = [...rows.values()].flatMap((row) =>
    row.flatMap((baseline, index) =>
      row
        .slice(index + 1)
        .flatMap((treatment) =>
          known.has(keyOf(treatment, baseline)) ? [] : [[treatment, baseline] as const],
        ),
    ),
  );
  const question = { treatments, baselineId: '', metric, flagged: input.takesFlagged, pairs };
  return contrastTreatments(question).map((one) => contrastRow(one, level));
}

function describe(
  { treatment, values, estimate }: TreatmentEstimate,
  context: ReportContext,
  metric: MetricDefinition,
): ReportEstimate {
  const { n, value, lo, hi } = estimate;
  const bases = differingBases(values);
  const numbers = n === 0 ? [] : values.map((entry) => entry.value);
  return {
    treatment: treatment.id,
    n,
    mean: value,
    sd: standardDeviation(numbers),
    lo,
    hi,
    cv: coefficientOfVariation(numbers),
    // Computed when it is read: the values of every metric and run together take much more memory than their columns.
    get values() {
      return valuesIn(context, treatment, metric).map((one) => ({
        runId: one.runId,
        block: one.block,
        value: one.value,
      }));
    },
    note:
      bases.length > 0
        ? `figures of different kinds (${bases.join(', ')}) have no mean`
        : noteOf(estimate, reasonForNone(treatment, context, metric)),
  };
}

function noteOf({ n, isConstant }: Estimate, none: string): string | null {
  if (n === 0) return none;
  if (n === 1) return 'one valid run: a value, but no interval';
  if (isConstant) return 'the same in every run, so there is no interval';
  return n < minRuns ? 'n = 2: too few runs for an interval' : null;
}

/** Why a Treatment has no value at all. */
function reasonForNone(
  { id, runs }: ComparedTreatment,
  { input }: ReportContext,
  metric: MetricDefinition,
): string {
  if (runs.some((run) => input.takesFlagged || !isFlaggedFor(run, metric))) {
    return 'no valid run has this metric';
  }
  const own = countingAttempts(input.runs).filter((run) => run.treatmentKey === id && run.status === 'done');
  if (own.length === 0) return 'no run finished';
  if (own.length > runs.length) return 'every finished run is flagged or excluded';
  return own.length === 1 ? 'its only run is flagged' : `all ${own.length} finished runs are flagged`;
}

/** A contrast as the report tells it, with effect sizes. */
function contrastRow(contrast: Contrast, level: number): ReportContrast {
  const { treatment: a, baseline: b } = contrast.values;
  const { scale, value, lo, hi, inUnits, outcome, hedgesG, p, method, runs, unpaired } = contrast;
  const isKnown = value !== null && Math.min(a.length, b.length) > 1;
  const g = hedgesG === null ? null : hedgesInterval(a, b, level);
  return {
    treatment: contrast.treatment.id,
    baseline: contrast.baseline.id,
    scale,
    value,
    lo,
    hi,
    inUnits,
    outcome,
    cohensD: isKnown ? standardisedDifference(a, b).cohensD : null,
    hedgesG,
    gLo: g?.lo ?? null,
    gHi: g?.hi ?? null,
    cliffsDelta: isKnown ? cliffsDelta(a, b) : null,
    p,
    method,
    runs,
    note: reasonOf(contrast) || describeUnpaired(unpaired, runs),
  };
}

function describeUnpaired(unpaired: number, runs: number): string | null {
  if (unpaired === 0) return null;
  const pairs = `paired by the ${runs} repetitions that both have`;
  return `${pairs}, ${unpaired} ${unpaired === 1 ? 'run' : 'runs'} without a partner`;
}

/** Of a plan that compares nothing: what it found. */
function aloneFinding(metric: MetricDefinition, { estimate }: TreatmentEstimate): ReportFinding[] {
  const { n, value, lo, hi, isConstant } = estimate;
  if (value === null) return [];
  const { text } = formatInterval({ value, lo: lo ?? undefined, hi: hi ?? undefined }, { unit: metric.unit });
  const runs = n === 1 ? 'one run' : `${n} runs`;
  const without = isConstant ? ', the same in every one' : lo === null ? ', so without an interval' : '';
  return [
    {
      kind: 'open',
      text: `${titleOf(metric)}: ${text} over ${runs}${without}. Nothing was varied, so nothing is compared.`,
    },
  ];
}

/** Whether effects depend on each other. */
function interactionFinding(metric: MetricDefinition, effects: readonly ReportEffect[]): ReportFinding[] {
  const judged = effects.filter(({ kind, lo, hi }) => kind === 'interaction' && lo !== null && hi !== null);
  if (judged.length === 0) return [];
  const found = judged.filter(isResolved);
  if (found.length === 0) {
    return [
      {
        kind: 'open',
        text: `No clear interaction in ${nounOf(metric)}: whether an effect is the same at every level is neither shown nor excluded.`,
      },
    ];
  }
  const compared = found.map(({ scale, estimate, lo, hi }) => ({ scale, value: estimate, lo, hi }));
  const { signed } = phraseOf(metric, compared);
  const said = compared.map((one, index) => `${found[index]?.label} ${signed(one)}`);
  return [
    {
      kind: 'resolved',
      text: `Effects on ${nounOf(metric)} depend on each other; beyond the main effects together: ${said.join('; ')}.`,
    },
  ];
}

/** The interval leaves equality out, and Holm agrees. */
function isResolved({ scale, lo, hi, p }: ReportEffect): boolean {
  const equal = scale === 'ratio' ? 1 : 0;
  return lo !== null && hi !== null && (lo > equal || hi < equal) && p !== null && p < alpha;
}
