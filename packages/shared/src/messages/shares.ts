import * as z from 'zod';
import { instantMs, textFrom } from '../domain/bounds.ts';
import { claimBoardSchema } from '../domain/report/claims.ts';
import { reportSchema, studyFactsSchema } from '../domain/report/report.ts';
import { keptPacketsSchema, packetChoices } from '../domain/runs/capture.ts';
import { comparedSeriesSchema, comparisonSchema } from '../domain/runs/comparison.ts';
import { experimentDetailSchema, headlineSchema } from '../domain/runs/experiment.ts';
import { runDetailSchema } from '../domain/runs/run.ts';
import { studyRunSchema } from './studies.ts';

/** Whether it also shows addresses, processes, paths and full logs; of a run, packets and keys. */
const shown = { details: z.boolean().optional(), packets: z.enum(packetChoices).optional() };
/** Divisible by 3, so that base64 has no padding at the limit. */
const maxImageBytes = 450_000;
/** How long and how often a link works, and for whom. */
const linkOptions = {
  ...shown,
  expiresAt: instantMs.optional(),
  password: textFrom(8, 200).optional(),
  /** How many browsers may open it; reading on for twelve hours is one opening. */
  maxOpenings: z.int().min(1).max(100_000).optional(),
  /** Shows for good what there is now; without it what runs is shown live until all of it has settled. */
  frozen: z.boolean().optional(),
  /** For the preview that chats and mail programs show beside the address: PNG, base64. */
  image: z
    .string()
    .regex(/^iVBORw0KGgo[A-Za-z0-9+/]*={0,2}$/, 'is no PNG in base64')
    .max((maxImageBytes / 3) * 4, `is larger than ${maxImageBytes / 1000} kB`)
    .optional(),
};

const subjectsWith = <Options extends z.ZodRawShape>(options: Options) =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('experiment'), experimentId: z.int().min(1), ...options }),
    z.strictObject({ kind: z.literal('run'), runId: z.int().min(1), ...options }),
    /** The query string of the compare page. */
    z.strictObject({ kind: z.literal('view'), view: z.string().max(8000), ...options }),
    z.strictObject({
      kind: z.literal('study'),
      studyRunId: z.int().min(1),
      /** Takes flagged runs in. */
      flagged: z.boolean().default(false),
      ...options,
    }),
  ]);

export const createShareSchema = subjectsWith(linkOptions);
/** A link that is thought of. */
export const previewShareSchema = subjectsWith(shown);

/** What a link would show, and what stays out of it, in words. */
export const sharePreviewSchema = z.strictObject({
  shows: z.array(z.string()),
  hides: z.array(z.string()),
  /** Of a run: what it may show besides. */
  packets: keptPacketsSchema,
  /** What the picture beside the address is drawn from. */
  headline: headlineSchema.nullable(),
});

export const openShareSchema = z.strictObject({ password: z.string().min(1).max(200) });

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
  packets: z.enum(packetChoices),
  hasPassword: z.boolean(),
  openings: z.int(),
  /** null: as often as one likes. */
  maxOpenings: z.int().nullable(),
  /** null while it is live. */
  frozenAt: z.number().nullable(),
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
      /** Where the answer stands over time; absent in what earlier versions froze. */
      series: z.array(comparedSeriesSchema).optional(),
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
      board: claimBoardSchema,
    }),
  ]),
});

export type SharePreview = z.infer<typeof sharePreviewSchema>;
export type PreviewShare = z.infer<typeof previewShareSchema>;
export type CreateShare = z.infer<typeof createShareSchema>;
export type Share = z.infer<typeof shareSchema>;
export type SharedContent = z.infer<typeof sharedContentSchema>;
