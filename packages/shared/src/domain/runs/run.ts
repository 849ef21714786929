import * as z from 'zod';
import { count, instantMs, measure, ordinal, rowId, sentence, word } from '../bounds.ts';
import { type Plan, treatmentSchema } from '../plans/plan.ts';
import { resultFileNames } from './capture.ts';
import { importMarkShape } from './import-marks.ts';
import { roleResultSchema } from './role-result.ts';
import { runStatuses } from './statuses.ts';
import { verdictSchema } from './verdict.ts';

export const failureSchema = z.strictObject({ code: word, message: sentence, remedy: sentence });

/** Absent in data stored by earlier versions. */
export const basesSchema = z.record(word, word).optional();

/** Why, when (Unix ms) and by whom a run was excluded from analysis; the user is absent on a server without accounts. */
export const exclusionSchema = z.strictObject({
  reason: sentence,
  at: instantMs,
  by: z.string().max(200).optional(),
});

/** Changes to a run by recomputation with later definitions. */
export const redefinedSchema = z.strictObject({
  at: instantMs,
  changes: z.array(z.strictObject({ metric: word, before: measure, after: measure.nullable() })),
  /** Whether the run was flagged before the recomputation. */
  flagBefore: z.boolean(),
});

/** One attempt at a trial, without its raw data. */
export const runSummarySchema = z.strictObject({
  id: rowId,
  experimentId: rowId,
  trialNumber: ordinal,
  block: ordinal,
  treatmentKey: sentence,
  /** 1 for the first attempt. */
  attempt: ordinal,
  retryOf: rowId.nullable(),
  status: z.enum(runStatuses),
  /** Unix ms. */
  startedAt: instantMs.nullable(),
  finishedAt: instantMs.nullable(),
  /** True if a verdict failed, so that the run is excluded from analysis by default. */
  flagged: z.boolean(),
  failure: failureSchema.nullable(),
  verdicts: z.array(verdictSchema),
  /** Values by metric id. */
  metrics: z.record(word, measure.nullable()),
  /** Basis of the values by metric group: "one-way" latency, "modelled" energy. */
  bases: basesSchema,
  /** Written by users; can be changed at any time. */
  notes: z.string().max(20_000).default(''),
  tags: z.array(z.string().max(40)).max(20).default([]),
  /** Set if a user excluded the run from analysis; always visible and reversible. */
  exclusion: exclusionSchema.nullable().default(null),
  /** Absent if the run was never recomputed. */
  redefined: redefinedSchema.optional(),
  /** Time when retention removed the series and log; absent if they are stored. */
  seriesRemovedAt: instantMs.optional(),
});

/**
 * A run in its experiment's list, a tenth of the size of its summary: only failed verdicts, and only the
 * metrics of `rowMetricsOf`.
 */
export const runRowSchema = runSummarySchema
  .omit({ notes: true, redefined: true, seriesRemovedAt: true })
  .extend({
    /** True if later definitions changed the run's values. */
    isRedefined: z.boolean().optional(),
  })
  // Links frozen by earlier versions contain complete summaries.
  .strip();

/** A downloadable file of a run; for a key log, the size of the encrypted file is given. */
const runFileSchema = z.strictObject({ name: z.enum(resultFileNames), device: word, bytes: count });

/** A run with all data for its page. */
export const runDetailSchema = runSummarySchema.extend({
  experimentName: word,
  ...importMarkShape,
  treatment: treatmentSchema,
  trialCount: z.int(),
  previousRunId: z.int().nullable(),
  nextRunId: z.int().nullable(),
  /** One result per device, including series and histograms. */
  results: z.array(roleResultSchema),
  devices: z.record(z.string(), z.string()),
  /** Files fetched from the devices. */
  files: z.array(runFileSchema).default([]),
  /** Start of the measure phase, in Unix ms. */
  measuredAt: instantMs.nullable(),
  /** Time that the run spent outside the phases from connect to drain, in ms. */
  overheadMs: measure.nullable(),
  /**
   * Mean (or geometric mean) of each metric over the other valid runs of this treatment, and their number.
   */
  siblings: z.record(z.string(), z.strictObject({ mean: measure, runs: count })),
});

export type Exclusion = z.infer<typeof exclusionSchema>;
export type Redefined = z.infer<typeof redefinedSchema>;
export type Failure = z.infer<typeof failureSchema>;
export type RunSummary = z.infer<typeof runSummarySchema>;
export type RunRow = z.infer<typeof runRowSchema>;
export type RunFile = z.infer<typeof runFileSchema>;
export type RunDetail = z.infer<typeof runDetailSchema>;

/** Returns the notice that retention removed a run's series and log; null if they are stored. Pure. */
export function whySeriesGone({ seriesRemovedAt: at }: Pick<RunSummary, 'seriesRemovedAt'>): string | null {
  if (at === undefined) return null;
  return `Series and log were removed by retention on ${new Date(at).toISOString().slice(0, 10)}. Metrics, distributions and evidence are still stored.`;
}

/** Counts that few faults affect; the notice about flagged runs names the counts that are still valid. */
export const countedMetrics = ['setUp.bytes', 'wire.perMessage', 'count.received'] as const;

/**
 * Returns the metrics needed in run lists: the response, the metric of the stopping rule, the scale of the
 * live chart, and `countedMetrics`. Pure.
 */
export function rowMetricsOf(plan: Pick<Plan, 'response' | 'stopping'> | null): string[] {
  const asked = plan === null ? [] : [plan.response, ...(plan.stopping ? [plan.stopping.metric] : [])];
  return [...new Set([...asked, 'latency.p95', ...countedMetrics])];
}

/** Makes the row of a run from its summary. Pure. */
export function runRowOf(run: RunSummary, shownMetrics: readonly string[]): RunRow {
  const { notes: _, redefined, seriesRemovedAt: __, verdicts, metrics, ...rest } = run;
  return {
    ...rest,
    verdicts: verdicts.filter(({ status }) => status === 'failed'),
    metrics: Object.fromEntries(
      shownMetrics.flatMap((id) => (id in metrics ? [[id, metrics[id] ?? null]] : [])),
    ),
    ...(redefined === undefined ? {} : { isRedefined: true }),
  };
}

/**
 * Returns the name of a run within its experiment: "run 12", or "run 12, attempt 2" after a retry. Imports
 * preserve this name.
 */
export function runName({ trialNumber, attempt }: Pick<RunSummary, 'trialNumber' | 'attempt'>): string {
  return `run ${trialNumber}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
}

/** Returns the name of a run with its experiment: "E-7, run 12". */
export function runCode(run: Pick<RunSummary, 'experimentId' | 'trialNumber' | 'attempt'>): string {
  return `E-${run.experimentId}, ${runName(run)}`;
}

type Attempt = Pick<RunSummary, 'attempt' | 'status' | 'flagged'>;

/**
 * Returns the counting attempt at one trial: the first finished attempt without a failed verdict, otherwise
 * the first finished attempt. If no attempt is finished, returns the newest. All figures, counts and files
 * use this rule, because results may arrive late and flagged runs may be repeated. Pure.
 */
export function countingAttempt<T extends Attempt>(attempts: readonly T[]): T | undefined {
  return attempts.reduce<T | undefined>(
    (best, one) => (best === undefined || isBefore(best, one) ? one : best),
    undefined,
  );
}

/** Rule of `countingAttempt`, in words. */
export const countingAttemptRule =
  'the first attempt without a failed check counts, otherwise the first finished attempt';

/** Returns the runs of an experiment that count, one per trial, in the order in which trials first appear. Pure. */
export function countingAttempts<T extends Attempt & Pick<RunSummary, 'trialNumber'>>(
  runs: readonly T[],
): T[] {
  return [...Map.groupBy(runs, ({ trialNumber }) => trialNumber).values()].flatMap(
    (attempts) => countingAttempt(attempts) ?? [],
  );
}

function isBefore(best: Attempt, other: Attempt): boolean {
  const [rank, otherRank] = [rankOf(best), rankOf(other)];
  if (rank !== otherRank) return rank < otherRank;
  return rank === 0 ? best.attempt < other.attempt : other.attempt < best.attempt;
}

/** Counts runs: finished and valid, finished and flagged, not finished. */
function rankOf({ status, flagged }: Attempt): number {
  if (status !== 'done') return 0;
  return flagged ? 1 : 2;
}
