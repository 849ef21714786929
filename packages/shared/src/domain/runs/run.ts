import * as z from 'zod';
import { count, instantMs, measure, ordinal, rowId, sentence, word } from '../bounds.ts';
import { type Plan, treatmentSchema } from '../plans/plan.ts';
import { resultFileNames } from './capture.ts';
import { type Counters, roleResultSchema } from './role-result.ts';
import { runStatuses } from './statuses.ts';
import { verdictSchema } from './verdict.ts';

export const failureSchema = z.strictObject({ code: word, message: sentence, remedy: sentence });

/** Absent in what was stored before there were any. */
export const basesSchema = z.record(word, word).optional();

/** Why a person left a Run out of analysis, when (Unix ms), and who; absent on a server without accounts. */
export const exclusionSchema = z.strictObject({
  reason: sentence,
  at: instantMs,
  by: z.string().max(200).optional(),
});

/** What computing a Run anew by later definitions changed. */
export const redefinedSchema = z.strictObject({
  at: instantMs,
  changes: z.array(z.strictObject({ metric: word, before: measure, after: measure.nullable() })),
  /** Whether it was flagged before. */
  flagBefore: z.boolean(),
});

/** One attempt at a Trial, without its raw data. */
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
  /** A failed verdict: left out of analysis unless told otherwise. */
  flagged: z.boolean(),
  failure: failureSchema.nullable(),
  verdicts: z.array(verdictSchema),
  /** By metric id. */
  metrics: z.record(word, measure.nullable()),
  /** What figures rest on, by group of metrics: "one-way" latency, "modelled" energy. */
  bases: basesSchema,
  /** Written by people, changed at any time. */
  notes: z.string().max(20_000).default(''),
  tags: z.array(z.string().max(40)).max(20).default([]),
  /** Left out of analysis by a person; always visible and reversible. */
  exclusion: exclusionSchema.nullable().default(null),
  /** Absent where its figures are as they were first computed. */
  redefined: redefinedSchema.optional(),
  /** When retention removed its series and log; absent while they are there. */
  seriesRemovedAt: instantMs.optional(),
});

/**
 * A Run in the list of its experiment, a tenth of the size of its summary: of its verdicts those that failed, of its
 * metrics those that `rowMetricsOf` names.
 */
export const runRowSchema = runSummarySchema
  .omit({ notes: true, redefined: true, seriesRemovedAt: true })
  .extend({
    /** True if later definitions changed its figures. */
    isRedefined: z.boolean().optional(),
  })
  // Links that were frozen earlier hold whole summaries.
  .strip();

/** What an import found that the evidence of a bundle does not support. */
export const alteredSchema = z.strictObject({
  values: count,
  runs: count,
  /** The first of them. */
  examples: z.array(sentence).max(20),
});

/** A file of a Run that can be saved; of a key log as it is stored, encrypted. */
const runFileSchema = z.strictObject({ name: z.enum(resultFileNames), device: word, bytes: count });

/** A Run with everything its page shows. */
export const runDetailSchema = runSummarySchema.extend({
  experimentName: word,
  /** Of its experiment, if that was imported with values that its evidence does not support. */
  altered: alteredSchema.optional(),
  treatment: treatmentSchema,
  trialCount: z.int(),
  previousRunId: z.int().nullable(),
  nextRunId: z.int().nullable(),
  /** One for each device; series and histograms included. */
  results: z.array(roleResultSchema),
  devices: z.record(z.string(), z.string()),
  /** What devices kept beside their results, as far as it was fetched. */
  files: z.array(runFileSchema).default([]),
  /** Instant of the measure phase, Unix ms. */
  measuredAt: instantMs.nullable(),
  /** Everything of the Run outside connect to drain, ms. */
  overheadMs: measure.nullable(),
  /** What the other valid Runs of this Treatment say of each metric (geometric mean or mean), with their number. */
  siblings: z.record(z.string(), z.strictObject({ mean: measure, runs: count })),
});

export type Exclusion = z.infer<typeof exclusionSchema>;
export type Redefined = z.infer<typeof redefinedSchema>;
export type Failure = z.infer<typeof failureSchema>;
export type RunSummary = z.infer<typeof runSummarySchema>;
export type Altered = z.infer<typeof alteredSchema>;
export type RunRow = z.infer<typeof runRowSchema>;
export type RunFile = z.infer<typeof runFileSchema>;
export type RunDetail = z.infer<typeof runDetailSchema>;

/** Why a Run has no series and log any more, as page, exports and command line say it; null while they are there. Pure. */
export function whySeriesGone({ seriesRemovedAt: at }: Pick<RunSummary, 'seriesRemovedAt'>): string | null {
  if (at === undefined) return null;
  return `Series and log were removed by retention on ${new Date(at).toISOString().slice(0, 10)}. Figures, distributions and evidence are kept.`;
}

/**
 * Metrics that lists of runs need: the response, that of the stopping rule, the scale of the live chart, and whether
 * anything arrived. Pure.
 */
export function rowMetricsOf(plan: Pick<Plan, 'response' | 'stopping'> | null): string[] {
  const asked = plan === null ? [] : [plan.response, ...(plan.stopping ? [plan.stopping.metric] : [])];
  return [...new Set([...asked, 'latency.p95', 'count.received'])];
}

/** The row of a Run from its summary. Pure. */
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

/** The notice that is shown wherever an altered experiment, or a run of one, is shown. Pure. */
export function alteredWords({ values, runs, examples: [first] }: Altered): string {
  const what = `${values} ${values === 1 ? 'value' : 'values'} of ${runs} ${runs === 1 ? 'run' : 'runs'}`;
  return `Altered: ${what} differ from the evidence in its bundle${first ? `, for example ${first}` : ''}.`;
}

/** "run 12", of a trial that was tried again "run 12, attempt 2": its name within its experiment, kept by an import. */
export function runName({ trialNumber, attempt }: Pick<RunSummary, 'trialNumber' | 'attempt'>): string {
  return `run ${trialNumber}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
}

/** "E-7, run 12": where nothing else says of which experiment. */
export function runCode(run: Pick<RunSummary, 'experimentId' | 'trialNumber' | 'attempt'>): string {
  return `E-${run.experimentId}, ${runName(run)}`;
}

type Attempt = Pick<RunSummary, 'attempt' | 'status' | 'flagged'>;

/**
 * The attempt at one Trial that counts: of those that are done the first without a failed verdict, else the first;
 * where none is done, the newest. Every figure, count and file follows this one rule, for results may come late, and a
 * flagged run may be run again. Pure.
 */
export function countingAttempt<T extends Attempt>(attempts: readonly T[]): T | undefined {
  return attempts.reduce<T | undefined>(
    (best, one) => (best === undefined || isBefore(best, one) ? one : best),
    undefined,
  );
}

/** The rule of `countingAttempt` in words. */
export const countingAttemptRule =
  'the first attempt without a failed check counts, otherwise the first that finished';

/** Of the Runs of one experiment those that count, one for each Trial, in the order in which Trials are met. Pure. */
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

/** Done and valid, done and flagged, not done. */
function rankOf({ status, flagged }: Attempt): number {
  if (status !== 'done') return 0;
  return flagged ? 1 : 2;
}

/** All zero but what was counted. */
export function makeCounters(counted: Partial<Counters> = {}): Counters {
  return {
    sent: 0,
    acknowledged: 0,
    received: 0,
    duplicate: 0,
    reordered: 0,
    identifierReused: 0,
    late: 0,
    unsent: 0,
    unstamped: 0,
    payloadBytesSent: 0,
    payloadBytesReceived: 0,
    carriedBytesSent: 0,
    unauthentic: 0,
    replayed: 0,
    malformed: 0,
    connectionsOpened: 0,
    connectionsFailed: 0,
    connectionBytesSent: 0,
    connectionBytesReceived: 0,
    altered: 0,
    connectionsHeld: 0,
    ...counted,
  };
}
