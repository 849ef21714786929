import * as z from 'zod';
import { treatmentSchema } from '../plans/plan.ts';
import { alteredSchema, basesSchema } from './run.ts';

/** Quantiles of all messages of a Treatment's Runs together, ms. */
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
  /** "run 12", as `runName` makes it; absent in what earlier versions froze. */
  name: z.string().optional(),
  block: z.int(),
  /** A verdict failed. */
  flagged: z.boolean(),
  /** Ids of those that failed: each leaves out the metrics it matters for. Absent in what earlier versions froze. */
  failed: z.array(z.string()).optional(),
  metrics: z.record(z.string(), z.number().nullable()),
  bases: basesSchema,
});

/** Facts of the devices that took part, by their names in results: each value that occurs, sorted. */
export const environmentSchema = z.record(z.string().max(80), z.array(z.string().max(300)).max(20));

export const comparedTreatmentSchema = z.strictObject({
  /** As `comparedId` makes it. */
  id: z.string(),
  experimentId: z.int(),
  treatment: treatmentSchema,
  /**
   * Level of the t intervals that cover 95 %, where the number of repetitions was decided by looking at them; else
   * absent.
   */
  level: z.number().gt(0.5).lt(1).optional(),
  /** Finished Runs, the last attempt of each Trial; flagged ones included and marked. */
  runs: z.array(comparedRunSchema),
  /** What its first and its last run were carried out on; absent in what earlier versions froze. */
  environment: environmentSchema.optional(),
  /** From valid Runs; null without measured latency. */
  latency: latencyBoxSchema.nullable(),
  /** The same with flagged Runs included. */
  latencyWithFlagged: latencyBoxSchema.nullable(),
});

/** Everything the compare page needs; metric, baseline and panels are then chosen without asking again. */
export const comparisonSchema = z.strictObject({
  experiments: z.array(
    z.strictObject({
      id: z.int(),
      name: z.string(),
      status: z.string(),
      finishedAt: z.number().nullable(),
      /** Metric that the plan asks about, and the treatment it holds others against; absent in what earlier versions froze. */
      response: z.string().optional(),
      baselineId: z.string().optional(),
      /** If it was imported with values that its evidence does not support. */
      altered: alteredSchema.optional(),
    }),
  ),
  treatments: z.array(comparedTreatmentSchema),
  /** Runs left out by default, because a verdict failed. */
  flaggedRuns: z.int(),
  failedRuns: z.int(),
  /** Left out by a person, who said why; absent in what earlier versions froze. */
  excludedRuns: z
    .array(z.strictObject({ runId: z.int(), name: z.string().optional(), reason: z.string() }))
    .optional(),
});

/** One series of a Treatment: mean over its valid Runs with a 95 % t interval, on a common time grid. */
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

/** One series of a Treatment inside a stretch of time: mean over Runs of each Run's mean, with a 95 % t interval. */
export const windowMeanSchema = z.strictObject({
  treatmentId: z.string(),
  runs: z.int(),
  mean: z.number(),
  lo: z.number().nullable(),
  hi: z.number().nullable(),
});

/** Of a treatment in a comparison: short, for it stands in addresses. FNV-1a of the key, in base 36. */
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
export type ComparedTreatment = z.infer<typeof comparedTreatmentSchema>;
export type ComparedSeries = z.infer<typeof comparedSeriesSchema>;
export type Comparison = z.infer<typeof comparisonSchema>;
