import * as z from 'zod';
import { testbedCapabilitiesSchema } from '../domain/devices/capabilities.ts';
import { roles } from '../domain/devices/device.ts';
import { issueSchema } from '../domain/issue.ts';
import { experimentDraftSchema } from '../domain/plans/experiment-draft.ts';
import { excludedSchema, treatmentSchema } from '../domain/plans/plan.ts';
import { experimentSummarySchema } from '../domain/runs/experiment.ts';
import { logLineSchema } from '../domain/runs/role-result.ts';

/** Problem details (RFC 9457), with the wrong fields and how to fix them. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  /** Remedy for the error. */
  remedy: z.string(),
  issues: z.array(issueSchema),
});

export const experimentListQuerySchema = z.strictObject({
  search: z.string().max(200).optional(),
  status: z.enum(['all', 'active', 'draft', 'finished']).default('all'),
  tag: z.string().max(40).optional(),
  /** Returns experiments older than this id; unlike an offset, new experiments do not shift it. */
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

export const experimentListSchema = z.strictObject({
  items: z.array(experimentSummarySchema),
  /** The value of `before` for the next page; absent on the last. */
  next: z.int().optional(),
  total: z.int(),
  counts: z.strictObject({ all: z.int(), active: z.int(), draft: z.int(), finished: z.int() }),
  /** All tags in use. */
  tags: z.array(z.string()),
  runs: z.int(),
  dataBytes: z.number(),
  /** Warning if dataBytes exceeds the budget. */
  overBudget: z.string().optional(),
});

/** If there is no draft, an empty draft with sensible defaults is created. */
export const createExperimentSchema = z.strictObject({ draft: experimentDraftSchema.optional() });

const tagsSchema = z.array(z.string().min(1).max(40)).max(20);

export const patchExperimentSchema = z.strictObject({
  name: z.string().trim().min(1, 'needs a name').max(200).optional(),
  tags: tagsSchema.optional(),
  notes: z.string().max(20_000).optional(),
  /** True if retention keeps the series and logs. */
  keepEverything: z.boolean().optional(),
});

export const patchRunSchema = z.strictObject({
  notes: z.string().max(20_000).optional(),
  tags: tagsSchema.optional(),
  /** null includes an excluded run again. */
  exclusion: z
    .strictObject({ reason: z.string().trim().min(1, 'needs a reason').max(500) })
    .nullable()
    .optional(),
});

export const experimentActions = [
  'start',
  'pause',
  'resume',
  'stop-after-run',
  'cancel',
  'retry-failed',
  'rerun-flagged',
  'clone',
  'restore',
] as const;

/** A plan file as text; YAML and JSON both parse as YAML. */
export const importPlanSchema = z.strictObject({
  text: z.string().max(1_000_000),
  start: z.boolean().default(false),
});

/** A plan file as text. */
export const readPlanSchema = importPlanSchema.pick({ text: true });

export const estimateSchema = z.strictObject({
  treatments: z.int(),
  repetitions: z.int(),
  runs: z.int(),
  runMs: z.number(),
  durationMs: z.number(),
  dataBytes: z.number(),
  source: z.enum(['observed', 'guess']),
  /** Expected start in Unix ms, after this testbed's running and queued experiments. */
  startsAt: z.number(),
  finishesAt: z.number(),
  diskFreeBytes: z.number().nullable(),
});

/** Differences that the repetitions can detect, based on the spread of earlier runs of this kind. */
export const resolutionSchema = z.strictObject({
  metric: z.string(),
  unit: z.string(),
  /** `ratio`: differences are between logarithms. */
  scale: z.enum(['ratio', 'difference']),
  /** Standard deviation of the differences between two treatments within a repetition. */
  sdOfDifferences: z.number(),
  /** Level of the intervals, above 0.95 if a stopping rule chooses the repetitions. */
  level: z.number(),
  /** Runs and experiments used to estimate the spread. */
  fromRuns: z.int(),
  fromExperiments: z.array(z.int()),
  /** False if these experiments varied other factors than the plan, so that the spread is only a rough guide. */
  sameFactors: z.boolean(),
  /** Number of contrasts that the analysis will make. */
  contrasts: z.int(),
});

export const planCheckSchema = z.strictObject({
  issues: z.array(issueSchema),
  /** Warnings that do not prevent a start: thresholds that the repetitions can probably not resolve. */
  warnings: z.array(issueSchema),
  /** Empty if there are issues. */
  treatments: z.array(treatmentSchema),
  excluded: z.array(excludedSchema),
  estimate: estimateSchema.nullable(),
  resolution: resolutionSchema.nullable(),
  /**
   * Number of runs of earlier experiments with this kind of workload that have the response, and how many of
   * them are flagged for it.
   */
  earlier: z.strictObject({ runs: z.int(), flagged: z.int() }),
});

/** A plan file completed with defaults. */
export const filledPlanSchema = z.strictObject({
  draft: experimentDraftSchema,
  /** The completed file, with a comment for every field. */
  text: z.string(),
  check: planCheckSchema,
});

export const preflightSchema = z.strictObject({
  checks: z.array(
    z.strictObject({
      id: z.string(),
      device: z.string(),
      label: z.string(),
      status: z.enum(['passed', 'failed', 'warning', 'not applicable']),
      evidence: z.string(),
      remedy: z.string().nullable(),
    }),
  ),
});

export const testbedStatusSchema = testbedCapabilitiesSchema.extend({
  /** Experiment that is currently using the testbed. */
  busyWith: z.int().nullable(),
  /** Progress of a running pre-flight; absent if there is none. */
  probing: z.strictObject({ done: z.int().min(0), total: z.int().min(0) }).optional(),
  /** Devices that may have results for these runs, and until when the server waits for them (Unix ms). */
  waiting: z
    .strictObject({ deviceIds: z.array(z.string()), runIds: z.array(z.int()), untilAt: z.number() })
    .optional(),
  /** Drained devices, which prevent new runs; absent if there are none. */
  draining: z.array(z.string()).optional(),
});

const numbers = (what: string, form: RegExp) =>
  z.string().regex(form, `must be ${what} numbers separated by commas`).optional();

export const compareQuerySchema = z.strictObject({
  experiments: numbers('experiment', /^\d{1,9}(,\d{1,9}){0,49}$/),
  /** Only these runs. */
  runs: numbers('run', /^\d{1,9}(,\d{1,9}){0,499}$/),
});

export const compareSeriesQuerySchema = compareQuerySchema.extend({
  /** Requires `role`; without both, the default series is used. */
  metric: z.string().max(60).optional(),
  role: z.enum(roles).optional(),
  /** "true" includes flagged runs. */
  flagged: z.enum(['true', 'false']).default('false'),
});

const windowMs = z.coerce.number().min(-1e9, 'is too long ago').max(1e9, 'is too far');

/** Time window in ms, relative to the start of the measure phase. */
export const compareWindowQuerySchema = compareSeriesQuerySchema.extend({ from: windowMs, to: windowMs });

/**
 * Version of the state stored in views; views of later versions are opened as far as this page supports them.
 */
export const viewSchemaVersion = 1;

export const createViewSchema = z.strictObject({
  name: z.string().trim().min(1, 'needs a name').max(120),
  page: z.literal('compare'),
  /** The query string of the page. */
  state: z.string().max(8000),
});

export const viewSchema = z.strictObject({
  id: z.int(),
  name: z.string(),
  page: z.literal('compare'),
  state: z.string(),
  schemaVersion: z.int(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const versionSchema = z.strictObject({
  name: z.literal('mqttlab'),
  version: z.string(),
  node: z.string(),
  openssl: z.string(),
  startedAt: z.number(),
});

export type Problem = z.infer<typeof problemSchema>;
export type ExperimentListQuery = z.infer<typeof experimentListQuerySchema>;
export type ExperimentList = z.infer<typeof experimentListSchema>;
export type ExperimentAction = (typeof experimentActions)[number];
export type PatchExperiment = z.infer<typeof patchExperimentSchema>;
export type PatchRun = z.infer<typeof patchRunSchema>;
export type PlanCheck = z.infer<typeof planCheckSchema>;
export type FilledPlan = z.infer<typeof filledPlanSchema>;
export type PlanEstimate = z.infer<typeof estimateSchema>;
export type Resolution = z.infer<typeof resolutionSchema>;
export type Preflight = z.infer<typeof preflightSchema>;
export type TestbedStatus = z.infer<typeof testbedStatusSchema>;
export type CompareQuery = z.infer<typeof compareQuerySchema>;
export type CompareWindowQuery = z.infer<typeof compareWindowQuerySchema>;
export type CompareSeriesQuery = z.infer<typeof compareSeriesQuerySchema>;
export type CreateView = z.infer<typeof createViewSchema>;
export type View = z.infer<typeof viewSchema>;
export type Version = z.infer<typeof versionSchema>;

/** Progress of a bundle import. */
export const bundleImportSchema = z.strictObject({
  /** Key chosen by the sender. */
  key: z.string(),
  /** Bytes while the bundle is received, files while they are checked, runs while they are stored. */
  state: z.enum(['receiving', 'waiting', 'checking', 'storing']),
  done: z.number(),
  /** null if unknown. */
  all: z.number().nullable(),
});

export type BundleImport = z.infer<typeof bundleImportSchema>;

export const experimentLogQuerySchema = z.strictObject({
  /** Returns lines older than this id; by default, the newest lines. */
  before: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(5000).default(500),
});

export const experimentLogSchema = z.strictObject({
  /** Newest first. */
  items: z.array(z.strictObject({ id: z.int(), runId: z.int().nullable(), line: logLineSchema })),
  /** The value of `before` for the next page; absent on the last page. */
  next: z.int().optional(),
  /** Total number of lines. */
  total: z.int(),
});

export type ExperimentLog = z.infer<typeof experimentLogSchema>;
