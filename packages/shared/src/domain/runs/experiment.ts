import * as z from 'zod';
import { authorshipSchema } from '../authorship.ts';
import { count, instantMs, measure, sentence } from '../bounds.ts';
import { experimentDraftSchema } from '../plans/experiment-draft.ts';
import { planSchema } from '../plans/plan.ts';
import { importMarkShape } from './import-marks.ts';
import { runRowSchema } from './run.ts';
import { experimentStatuses } from './statuses.ts';
import { contrastOutcomes } from './verdict.ts';

/** Number of trials by outcome; flagged trials also count in `done`. */
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
  /** Treatment divided by baseline, or their difference, with its 95 % interval. */
  scale: z.enum(['ratio', 'difference']),
  value: measure.nullable(),
  lo: measure.nullable(),
  hi: measure.nullable(),
  /** Holm-adjusted p-value. */
  p: measure.nullable(),
  /** Estimate of each treatment, for the sparkline. */
  points: z.array(z.strictObject({ mark: z.int(), value: measure })),
});

/** Origin of an imported experiment. */
export const importedSchema = z.strictObject({
  from: sentence,
  at: instantMs,
  /** Fingerprint of the key that signed the bundle. */
  signer: sentence.optional(),
  ...importMarkShape,
  /** Author and licence stated in the bundle. */
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
  /** User who started the experiment, as in the activity log; null on a server without accounts. */
  startedBy: z.string().max(200).nullable().default(null),
  finishedAt: instantMs.nullable(),
  progress: progressSchema,
  /** Estimate from observed medians; null if no run is active. */
  timeLeftMs: z.number().nullable(),
  /** null until it can be computed. */
  headline: headlineSchema.nullable(),
  deletedAt: instantMs.nullable(),
  /** Set if the experiment was imported: the source, and the time in Unix ms. */
  imported: importedSchema.nullable().default(null),
  /** True if retention keeps its series and logs. */
  keepEverything: z.boolean().optional(),
  /** Reason why the stored data cannot be read; absent if it can be read. */
  broken: sentence.optional(),
});

export const experimentDetailSchema = experimentSummarySchema.extend({
  draft: experimentDraftSchema,
  /** null while the experiment is a draft. Contains the first page of the trials. */
  plan: planSchema.nullable(),
  /** The value of `after` that requests the next page of trials; absent if the plan contains them all. */
  nextTrials: z.int().min(1).optional(),
  /** First page of the runs so far, oldest first. */
  runs: z.array(runRowSchema),
  /** The value of `after` that requests the next page of runs; absent if `runs` contains them all. */
  nextRuns: z.int().min(1).optional(),
  currentRunId: z.int().nullable(),
  /** Number of experiments ahead of this one in the testbed's queue. */
  queuePosition: z.int().nullable(),
});

export type ExperimentProgress = z.infer<typeof progressSchema>;
export type Headline = z.infer<typeof headlineSchema>;
export type ExperimentSummary = z.infer<typeof experimentSummarySchema>;
export type ExperimentDetail = z.infer<typeof experimentDetailSchema>;
