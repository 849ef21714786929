import type { MetricDefinition } from '../../domain/metric.ts';
import type { ReportContrast, ReportEstimate, ReportResponse } from '../../domain/report.ts';
import { contrastTreatments, estimateTreatments, type TreatmentEstimate } from '../contrasts.ts';
import { differingBases } from '../run-values.ts';
import { contrastRow } from './contrast-row.ts';
import { estimateEffects } from './effects.ts';
import { findingsOf } from './findings.ts';
import type { ReportContext } from './report-input.ts';

/** One metric over the whole design: means, contrasts, effects, and what can be said. */
export function reportResponse(
  context: ReportContext,
  metric: MetricDefinition,
  { isLead }: { isLead: boolean },
): ReportResponse {
  const choice = { metric: metric.id, flagged: context.input.takesFlagged };
  const { treatments, baselineId } = context;
  const estimates = estimateTreatments(treatments, choice).map((estimate) => describe(estimate, context));
  const contrasts = contrastTreatments({ treatments, baselineId, ...choice }).map((contrast) =>
    contrastRow(contrast, choice, { effectSizes: true }),
  );
  const { effects, note } = estimateEffects(context, metric.id);
  const widths = estimates.flatMap(({ mean, lo, hi }) =>
    mean === null || mean === 0 || lo === null || hi === null ? [] : [(hi - lo) / 2 / Math.abs(mean)],
  );
  const response = {
    metric: metric.id,
    label: metric.label,
    unit: metric.unit,
    better: metric.better,
    estimates,
    contrasts,
    between: isLead ? pairsOf(context, metric.id) : [],
    effects,
    effectsNote: note,
    precision: {
      best: widths.length > 0 ? Math.min(...widths) : null,
      worst: widths.length > 0 ? Math.max(...widths) : null,
    },
  };
  return { ...response, findings: findingsOf(context, metric, response) };
}

/** Every pair that shares its row, each taken once; Holm over them all. */
function pairsOf(context: ReportContext, metric: string): ReportContrast[] {
  const choice = { metric, flagged: context.input.takesFlagged };
  const rows = Map.groupBy(context.treatments, ({ treatment }) => treatment.rowLabel);
  const pairs = [...rows.values()].flatMap((row) =>
    row.flatMap((baseline, index) => row.slice(index + 1).map((treatment) => [treatment, baseline] as const)),
  );
  return contrastTreatments({ treatments: context.treatments, baselineId: '', pairs, ...choice }).map(
    (contrast) => contrastRow(contrast, choice, { effectSizes: true }),
  );
}

function describe(
  { treatment, values, interval }: TreatmentEstimate,
  context: ReportContext,
): ReportEstimate {
  const { n, mean, sd, lo, hi } = interval;
  const bases = differingBases(values);
  return {
    treatment: treatment.id,
    n,
    mean,
    sd,
    lo: sd === 0 ? null : lo,
    hi: sd === 0 ? null : hi,
    cv: sd === null || mean === null || mean === 0 ? null : sd / Math.abs(mean),
    values: values.map(({ runId, block, value }) => ({ runId, block, value })),
    note:
      bases.length > 0
        ? `figures of different kinds (${bases.join(', ')}) have no mean`
        : noteOf(n, sd, reasonForNone(treatment.id, context)),
  };
}

function noteOf(n: number, sd: number | null, none: string): string | null {
  if (n === 0) return none;
  if (n === 1) return 'one valid run: a value, but no interval';
  if (sd === 0) return 'every run gave the same value, so there is no interval';
  return n < 3 ? 'two valid runs: a very wide interval' : null;
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
