import * as z from 'zod';
import { measure } from '../bounds.ts';
import { workloadDraftShape, workloadKinds } from './workload.ts';

/** Version of the draft and plan documents; a later one is refused with a clear error. */
export const planSchemaVersion = 1;

const levelSchema = z.union([z.string().max(200), measure]);

/** Combinations that hold one of these levels of each of these factors. */
const combinationsSchema = z
  .record(z.string().max(60), z.array(levelSchema).min(1).max(200))
  .refine((levels) => Object.keys(levels).length > 0, 'names no factor');

export const workloadSchema = z.strictObject({ kind: z.enum(workloadKinds), ...workloadDraftShape });

/** Stop early: once the 95 % interval of a metric is narrow enough for every Treatment. */
export const stoppingSchema = z.strictObject({
  metric: z.string().max(80),
  /** Half width of the interval, in percent of the mean. */
  targetPercent: measure,
  /** Not before so many repetitions. */
  atLeast: measure,
});

/** What a metric may be, for each Treatment: a limit that the whole 95 % interval has to keep. One of both sides. */
export const thresholdSchema = z.strictObject({
  metric: z.string().max(80),
  /** In the unit of the metric, or in percent of the baseline. */
  atMost: measure.optional(),
  atLeast: measure.optional(),
  of: z.enum(['value', 'baseline']).default('value'),
  /** Only Treatments that hold one of these levels of each of these factors. */
  where: combinationsSchema.optional(),
});

/**
 * What the wizard edits and saves: right in form, not yet checked for sense. parsePlan checks it, so that an
 * unfinished or impossible draft can be kept and corrected.
 */
export const experimentDraftSchema = z.strictObject({
  schemaVersion: z.literal(planSchemaVersion),
  name: z.string().max(200),
  question: z.string().max(2000),
  tags: z.array(z.string().min(1).max(40)).max(20),
  notes: z.string().max(20_000),
  testbedId: z.string().max(80),
  /** Chosen levels by factor id; a factor that is absent is held at its default level. */
  factors: z.record(z.string().max(60), z.array(levelSchema).max(200)),
  /** Combinations that are possible but not wanted; planning lists them as left out. */
  leaveOut: z.array(combinationsSchema).max(50).optional(),
  workload: workloadSchema,
  sampleHz: z.union([z.literal(1), z.literal(10)]),
  /** Repetitions; with `stopping`, the most there may be. */
  repetitions: measure,
  stopping: stoppingSchema.nullable().default(null),
  order: z.enum(['random in block', 'as listed']),
  seed: measure,
  /** Metric that leads tables and the headline. */
  response: z.string().max(80),
  /** Automatic retries of a failed Trial. */
  retries: measure,
  /** Limits that decide over the exit code of the command line. */
  thresholds: z.array(thresholdSchema).max(20).optional(),
});

export type ExperimentDraft = z.infer<typeof experimentDraftSchema>;
export type Stopping = z.infer<typeof stoppingSchema>;
export type Threshold = z.infer<typeof thresholdSchema>;
export type Workload = z.infer<typeof workloadSchema>;
