import * as z from 'zod';
import { treatmentSchema } from '../plans/plan.ts';
import { importMarkShape } from './import-marks.ts';
import { basesSchema } from './run.ts';

/** Quantiles over all messages of a treatment's runs, in ms. */
export const latencyBoxSchema = z.strictObject({
  messages: z.int(),
  p5: z.number(),
  p25: z.number(),
  p50: z.number(),
  p75: z.number(),
  p95: z.number(),
  mean: z.number(),
});

export const comparedRunSchema = z.strictObject({
  runId: z.int(),
  /** For example "run 12", see `runName`; absent in links frozen by earlier versions. */
  name: z.string().optional(),
  block: z.int(),
  /** True if a verdict failed. */
  flagged: z.boolean(),
  /**
   * Ids of failed verdicts, each of which excludes the metrics that it affects. Absent in links frozen by
   * earlier versions.
   */
  failed: z.array(z.string()).optional(),
  metrics: z.record(z.string(), z.number().nullable()),
  bases: basesSchema,
});

/** Facts about the participating devices by their names in results, as sorted distinct values. */
export const environmentSchema = z.record(z.string().max(80), z.array(z.string().max(300)).max(20));

export const comparedTreatmentSchema = z.strictObject({
  /** See `comparedId`. */
  id: z.string(),
  experimentId: z.int(),
  treatment: treatmentSchema,
  /**
   * Level at which t intervals cover 95 % if a stopping rule chose the number of repetitions; otherwise
   * absent.
   */
  level: z.number().gt(0.5).lt(1).optional(),
  /** Finished runs, one attempt per trial; includes flagged runs, marked as such. */
  runs: z.array(comparedRunSchema),
  /** Environment of the treatment's first and last run; absent in links frozen by earlier versions. */
  environment: environmentSchema.optional(),
  /** Quantiles over valid runs; null without measured latency. */
  latency: latencyBoxSchema.nullable(),
  /** Quantiles including flagged runs. */
  latencyWithFlagged: latencyBoxSchema.nullable(),
});

/** Data for the compare page; changing the metric, baseline or panels needs no further request. */
export const comparisonSchema = z.strictObject({
  experiments: z.array(
    z.strictObject({
      id: z.int(),
      name: z.string(),
      status: z.string(),
      finishedAt: z.number().nullable(),
      /** The plan's response and baseline; absent in links frozen by earlier versions. */
      response: z.string().optional(),
      baselineId: z.string().optional(),
      ...importMarkShape,
    }),
  ),
  treatments: z.array(comparedTreatmentSchema),
  /** Runs excluded by default because a verdict failed. */
  flaggedRuns: z.int(),
  failedRuns: z.int(),
  /** Runs excluded by a user, with a reason; absent in links frozen by earlier versions. */
  excludedRuns: z
    .array(z.strictObject({ runId: z.int(), name: z.string().optional(), reason: z.string() }))
    .optional(),
});

/** One series for a treatment: mean over its valid runs with a 95 % t interval, on a common time grid. */
export const comparedSeriesSchema = z.strictObject({
  treatmentId: z.string(),
  metric: z.string(),
  role: z.string(),
  unit: z.string(),
  runs: z.int(),
  timesMs: z.array(z.number()),
  mean: z.array(z.number().nullable()),
  lo: z.array(z.number().nullable()),
  hi: z.array(z.number().nullable()),
});

/** One series for a treatment in a time window: mean of the runs' means, with a 95 % t interval. */
export const windowMeanSchema = z.strictObject({
  treatmentId: z.string(),
  runs: z.int(),
  mean: z.number(),
  lo: z.number().nullable(),
  hi: z.number().nullable(),
});

/**
 * Returns the id of a treatment in a comparison: FNV-1a of the key, in base 36. It is short because it is
 * used in URLs.
 */
export function comparedId(experimentId: number, treatmentKey: string): string {
  let hash = 0x811c9dc5;
  for (const character of treatmentKey) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return `${experimentId}~${hash.toString(36)}`;
}

export type WindowMean = z.infer<typeof windowMeanSchema>;
export type RunEnvironment = z.infer<typeof environmentSchema>;
export type LatencyBox = z.infer<typeof latencyBoxSchema>;
export type ComparedRun = z.infer<typeof comparedRunSchema>;
export type ComparedTreatment = z.infer<typeof comparedTreatmentSchema>;
export type ComparedSeries = z.infer<typeof comparedSeriesSchema>;
export type Comparison = z.infer<typeof comparisonSchema>;
