import * as z from 'zod';
import { authorshipSchema } from '../authorship.ts';
import { count, instantMs, measure, sentence } from '../bounds.ts';
import { experimentDraftSchema } from '../plans/experiment-draft.ts';
import { planSchema } from '../plans/plan.ts';
import { importMarkShape } from './import-marks.ts';
import { runRowSchema } from './run.ts';
import { experimentStatuses } from './statuses.ts';
import { contrastOutcomes } from './verdict.ts';

/** Trials by outcome; flagged ones also count in `done`. */
export const progressSchema = z.strictObject({
  trials: count,
  done: count,
  failed: count,
  cancelled: count,
  flagged: count,
  retried: count,
  running: count,
});

/** The leading contrast of the response, as shown on every page. */
export const headlineSchema = z.strictObject({
  metric: z.string(),
  /** For example "AES-256-GCM against Plain at QoS 0". */
  who: z.string(),
  /** For example "+4.1 % [2.9, 5.3]", or why there is no value. */
  figure: z.string(),
  /** The complete finding. */
  sentence: z.string(),
  outcome: z.enum(contrastOutcomes),
  /** Treatment divided by baseline, or minus it, with its 95 % interval. */
  scale: z.enum(['ratio', 'difference']),
  value: measure.nullable(),
  lo: measure.nullable(),
  hi: measure.nullable(),
  /** p-value after Holm. */
  p: measure.nullable(),
  /** Estimate of each treatment, for the sparkline. */
  points: z.array(z.strictObject({ mark: z.int(), value: measure })),
});

/** Origin of an imported experiment. */
export const importedSchema = z.strictObject({
  from: sentence,
  at: instantMs,
  /** Fingerprint of the key that signed its bundle. */
  signer: sentence.optional(),
  ...importMarkShape,
  /** Author and licence stated by its bundle. */
  authorship: authorshipSchema.optional(),
});

export const experimentSummarySchema = z.strictObject({
  id: z.int(),
  name: z.string(),
  question: z.string(),
  status: z.enum(experimentStatuses),
  tags: z.array(z.string()),
  notes: z.string(),
  testbedId: z.string(),
  /** Labels of the varied factors. */
  varied: z.array(z.string()),
  /** Unix ms. */
  createdAt: instantMs,
  updatedAt: instantMs,
  startedAt: instantMs.nullable(),
  /** User who started it, as in the activity log; null on a server without accounts. */
  startedBy: z.string().max(200).nullable().default(null),
  finishedAt: instantMs.nullable(),
  progress: progressSchema,
  /** Estimate from observed medians; null if nothing runs. */
  timeLeftMs: z.number().nullable(),
  /** null until it can be computed. */
  headline: headlineSchema.nullable(),
  deletedAt: instantMs.nullable(),
  /** Set if it was imported: from what, and when (Unix ms). */
  imported: importedSchema.nullable().default(null),
  /** True if retention keeps its series and logs. */
  keepEverything: z.boolean().optional(),
  /** Why its stored data cannot be read; absent if it can. */
  broken: sentence.optional(),
});

export const experimentDetailSchema = experimentSummarySchema.extend({
  draft: experimentDraftSchema,
  /** null while it is a draft. Contains the first page of its trials. */
  plan: planSchema.nullable(),
  /** The value of `after` that reads the next page of its trials; absent if the plan has them all. */
  nextTrials: z.int().min(1).optional(),
  /** First page of its runs so far, oldest first. */
  runs: z.array(runRowSchema),
  /** The value of `after` that reads the next page of its runs; absent if `runs` has them all. */
  nextRuns: z.int().min(1).optional(),
  currentRunId: z.int().nullable(),
  /** Number of experiments ahead of it in the queue of the testbed. */
  queuePosition: z.int().nullable(),
});

export type ExperimentProgress = z.infer<typeof progressSchema>;
export type Headline = z.infer<typeof headlineSchema>;
export type ExperimentSummary = z.infer<typeof experimentSummarySchema>;
export type ExperimentDetail = z.infer<typeof experimentDetailSchema>;
