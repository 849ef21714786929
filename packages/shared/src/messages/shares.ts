import * as z from 'zod';
import { instantMs } from '../domain/bounds.ts';
import { reportSchema, studyFactsSchema } from '../domain/report/report.ts';
import { comparedSeriesSchema, comparisonSchema } from '../domain/runs/comparison.ts';
import { experimentDetailSchema } from '../domain/runs/experiment.ts';
import { runDetailSchema } from '../domain/runs/run.ts';
import { studyRunSchema } from './studies.ts';

/** How long a link works, and whether it also shows addresses, processes, paths and full logs. */
const linkOptions = { expiresAt: instantMs.optional(), details: z.boolean().optional() };

export const createShareSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('experiment'), experimentId: z.int().min(1), ...linkOptions }),
  z.strictObject({ kind: z.literal('run'), runId: z.int().min(1), ...linkOptions }),
  /** The query string of the compare page. */
  z.strictObject({ kind: z.literal('view'), view: z.string().max(8000), ...linkOptions }),
  z.strictObject({
    kind: z.literal('study'),
    studyRunId: z.int().min(1),
    /** Takes flagged runs in. */
    flagged: z.boolean().default(false),
    ...linkOptions,
  }),
]);

export const shareSchema = z.strictObject({
  token: z.string(),
  kind: z.enum(['experiment', 'run', 'view', 'study']),
  title: z.string(),
  /** Page address without the origin. */
  path: z.string(),
  createdAt: instantMs,
  /** Who made it, as the log of changes names them; null on a server without accounts. */
  madeBy: z.string().max(200).nullable(),
  expiresAt: instantMs.nullable(),
  revokedAt: instantMs.nullable(),
  /** It also shows addresses, processes, paths and full logs. */
  details: z.boolean(),
});

/** What the document of one part of a study run is drawn from. */
const partResultSchema = z.strictObject({
  partId: z.string(),
  comparison: comparisonSchema,
  facts: studyFactsSchema,
  /** null where nothing is drawn from it, or the part is not over. */
  report: reportSchema.nullable(),
});

/** What a share link shows: frozen once everything in it has settled. */
export const sharedContentSchema = z.strictObject({
  share: shareSchema,
  /** Still running: ask again. */
  live: z.boolean(),
  frozenAt: z.number().nullable(),
  content: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('experiment'),
      experiment: experimentDetailSchema,
      comparison: comparisonSchema,
    }),
    z.strictObject({ kind: z.literal('run'), run: runDetailSchema }),
    z.strictObject({
      kind: z.literal('view'),
      view: z.string(),
      comparison: comparisonSchema,
      series: z.array(comparedSeriesSchema),
    }),
    z.strictObject({
      kind: z.literal('study'),
      run: studyRunSchema,
      flagged: z.boolean(),
      /** Those whose experiment is there. */
      results: z.array(partResultSchema),
    }),
  ]),
});

export type CreateShare = z.infer<typeof createShareSchema>;
export type Share = z.infer<typeof shareSchema>;
export type SharedContent = z.infer<typeof sharedContentSchema>;
