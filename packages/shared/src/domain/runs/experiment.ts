import * as z from 'zod';
import { count, instantMs, measure, sentence } from '../bounds.ts';
import { experimentDraftSchema } from '../plans/experiment-draft.ts';
import { planSchema } from '../plans/plan.ts';
import { alteredSchema, runRowSchema } from './run.ts';
import { experimentStatuses } from './statuses.ts';
import { contrastOutcomes } from './verdict.ts';

/** Trials by what became of them; flagged ones are also counted in `done`. */
export const progressSchema = z.strictObject({
  trials: count,
  done: count,
  failed: count,
  cancelled: count,
  flagged: count,
  retried: count,
  running: count,
});

/** The contrast on the response that leads, as every page tells it. */
export const headlineSchema = z.strictObject({
  metric: z.string(),
  /** "AES-256-GCM against Plain at QoS 0" */
  who: z.string(),
  /** "+4.1 % [2.9, 5.3]", or why there is no figure. */
  figure: z.string(),
  /** The whole finding that it belongs to. */
  sentence: z.string(),
  outcome: z.enum(contrastOutcomes),
  /** Treatment over baseline, or minus it, with its 95 % interval. */
  scale: z.enum(['ratio', 'difference']),
  value: measure.nullable(),
  lo: measure.nullable(),
  hi: measure.nullable(),
  /** After Holm. */
  p: measure.nullable(),
  /** What the runs of each Treatment say, for the sparkline. */
  points: z.array(z.strictObject({ mark: z.int(), value: measure })),
});

/** Where an experiment that was made elsewhere came from. */
export const importedSchema = z.strictObject({
  from: sentence,
  at: instantMs,
  /** Fingerprint of the key that signed its bundle. */
  signer: sentence.optional(),
  /** Values that its evidence does not support: it was imported all the same, on request. Absent if there are none. */
  altered: alteredSchema.optional(),
});

export const experimentSummarySchema = z.strictObject({
  id: z.int(),
  name: z.string(),
  question: z.string(),
  status: z.enum(experimentStatuses),
  tags: z.array(z.string()),
  notes: z.string(),
  testbedId: z.string(),
  /** Labels of the factors varied. */
  varied: z.array(z.string()),
  /** Unix ms. */
  createdAt: instantMs,
  updatedAt: instantMs,
  startedAt: instantMs.nullable(),
  /** Who pressed Start, as the log of changes names them; null on a server without accounts. */
  startedBy: z.string().max(200).nullable().default(null),
  finishedAt: instantMs.nullable(),
  progress: progressSchema,
  /** From observed medians; null when nothing runs. */
  timeLeftMs: z.number().nullable(),
  /** null until it can be computed. */
  headline: headlineSchema.nullable(),
  deletedAt: instantMs.nullable(),
  /** Set where it came in a research bundle: which, and when (Unix ms). */
  imported: importedSchema.nullable().default(null),
  /** Retention leaves its series and logs alone. */
  keepEverything: z.boolean().optional(),
  /** Why what is stored of it cannot be read; absent where it can. */
  broken: sentence.optional(),
});

export const experimentDetailSchema = experimentSummarySchema.extend({
  draft: experimentDraftSchema,
  /** null while it is a draft. Of its trials the first page. */
  plan: planSchema.nullable(),
  /** The value of `after` that reads the next page of its trials; absent if the plan has them all. */
  nextTrials: z.int().min(1).optional(),
  /** Its Runs so far, oldest first: the first page of them. */
  runs: z.array(runRowSchema),
  /** The value of `after` that reads the next page of its Runs; absent if `runs` has them all. */
  nextRuns: z.int().min(1).optional(),
  currentRunId: z.int().nullable(),
  /** Experiments ahead of it on the same testbed. */
  queuePosition: z.int().nullable(),
});

export type ExperimentProgress = z.infer<typeof progressSchema>;
export type Headline = z.infer<typeof headlineSchema>;
export type ExperimentSummary = z.infer<typeof experimentSummarySchema>;
export type ExperimentDetail = z.infer<typeof experimentDetailSchema>;
