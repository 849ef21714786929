import type { ReportContrast, ReportEstimate, ReportResponse } from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { coefficientOfVariation, standardDeviation } from '../../statistics/descriptive/summary.ts';
import { type Contrast, contrastTreatments, type TreatmentEstimate } from '../contrasts.ts';
import { type Estimate, minRuns } from '../estimate.ts';
import { resultOf } from '../result.ts';
import { differingBases } from '../run-values.ts';
import { contrastRow } from './contrast-row.ts';
import { estimateEffects } from './effects.ts';
import { useOtherMethods } from './other-methods.ts';
import { aloneFinding, interactionFinding } from './own-findings.ts';
import type { ReportContext } from './report-input.ts';

/** One metric over the whole design: means, contrasts, effects, and what can be said. */
export function reportResponse(
  context: ReportContext,
  metric: MetricDefinition,
  { isLead }: { isLead: boolean },
): ReportResponse {
  const { treatments, baselineId } = context;
  const flagged = context.input.takesFlagged;
  const { estimates: found, contrasts, findings } = resultOf({ treatments, baselineId, metric, flagged });
  const estimates = found.map((estimate) => describe(estimate, context));
  const { effects, note } = estimateEffects(context, metric);
  const widths = found.flatMap(({ estimate }) => estimate.relHalfWidth ?? []);
  return {
    metric: metric.id,
    label: metric.label,
    unit: metric.unit,
    better: metric.better,
    estimates,
    contrasts: contrasts.map(contrastRow),
    otherMethods: isLead ? useOtherMethods(contrasts, found) : null,
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
  { treatments, input }: ReportContext,
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
  return contrastTreatments(question).map(contrastRow);
}

function describe(
  { treatment, values, estimate }: TreatmentEstimate,
  context: ReportContext,
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
    values: values.map(({ runId, block, value: own }) => ({ runId, block, value: own })),
    note:
      bases.length > 0
        ? `figures of different kinds (${bases.join(', ')}) have no mean`
        : noteOf(estimate, reasonForNone(treatment.id, context)),
  };
}

function noteOf({ n, isConstant }: Estimate, none: string): string | null {
  if (n === 0) return none;
  if (n === 1) return 'one valid run: a value, but no interval';
  if (isConstant) return 'the same in every run, so there is no interval';
  return n < minRuns ? 'n = 2: too few runs for an interval' : null;
}

/** Why a Treatment has no value at all. */
function reasonForNone(key: string, { treatments, input }: ReportContext): string {
  const counting = treatments.find(({ id }) => id === key)?.runs.length ?? 0;
  if (counting > 0) return 'no valid run carries this metric';
  const own = input.runs.filter((run) => run.treatmentKey === key && run.status === 'done');
  if (own.length === 0) return 'no run finished';
  if (own.every(({ flagged }) => flagged)) {
    return own.length === 1 ? 'its only run is flagged' : `all ${own.length} finished runs are flagged`;
  }
  return 'every finished run is flagged or excluded';
}
