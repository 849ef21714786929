import * as z from 'zod';
import { measure } from '../bounds.ts';
import { workloadDraftShape, workloadKinds } from './workload.ts';

/** Version of the draft and plan documents; later versions are refused with a clear error. */
export const planSchemaVersion = 1;

const levelSchema = z.union([z.string().max(200), measure]);

/** Combinations with one of these levels for each of these factors. */
const combinationsSchema = z
  .record(z.string().max(60), z.array(levelSchema).min(1).max(200))
  .refine((levels) => Object.keys(levels).length > 0, 'names no factor');

export const workloadSchema = z.strictObject({ kind: z.enum(workloadKinds), ...workloadDraftShape });

/** Stopping rule: stop when the 95 % interval of a metric is narrow enough for every treatment. */
export const stoppingSchema = z.strictObject({
  metric: z.string().max(80),
  /** Half-width of the interval, as a percentage of the mean. */
  targetPercent: measure,
  /** Minimum number of repetitions. */
  atLeast: measure,
});

/**
 * A limit for a metric of each treatment that the entire 95 % interval must meet. Exactly one of the two
 * bounds is set.
 */
export const thresholdSchema = z.strictObject({
  metric: z.string().max(80),
  /** Limit in the unit of the metric, or as a percentage of the baseline. */
  atMost: measure.optional(),
  atLeast: measure.optional(),
  of: z.enum(['value', 'baseline']).default('value'),
  /** Restricts the threshold to treatments with one of these levels for each of these factors. */
  where: combinationsSchema.optional(),
});

/**
 * The document that the wizard edits and saves. Its structure is always valid, but only parsePlan checks its
 * content, so an unfinished or impossible draft can be saved and corrected.
 */
export const experimentDraftSchema = z.strictObject({
  schemaVersion: z.literal(planSchemaVersion),
  name: z.string().max(200),
  question: z.string().max(2000),
  tags: z.array(z.string().min(1).max(40)).max(20),
  notes: z.string().max(20_000),
  testbedId: z.string().max(80),
  /** Chosen levels by factor id; omitted factors have their default level. */
  factors: z.record(z.string().max(60), z.array(levelSchema).max(200)),
  /** Possible combinations to exclude; planning lists them as excluded. */
  leaveOut: z.array(combinationsSchema).max(50).optional(),
  workload: workloadSchema,
  sampleHz: z.union([z.literal(1), z.literal(10)]),
  /** Number of repetitions; with `stopping`, the maximum. */
  repetitions: measure,
  stopping: stoppingSchema.nullable().default(null),
  order: z.enum(['random in block', 'as listed']),
  seed: measure,
  /** Metric shown first in tables and in the headline. */
  response: z.string().max(80),
  /** Automatic retries of a failed trial. */
  retries: measure,
  /** Limits that determine the exit code of the command line. */
  thresholds: z.array(thresholdSchema).max(20).optional(),
});

export type ExperimentDraft = z.infer<typeof experimentDraftSchema>;
export type Stopping = z.infer<typeof stoppingSchema>;
export type Threshold = z.infer<typeof thresholdSchema>;
export type Workload = z.infer<typeof workloadSchema>;
