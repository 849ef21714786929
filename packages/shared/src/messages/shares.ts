import * as z from 'zod';
import { instantMs, textFrom } from '../domain/bounds.ts';
import { claimBoardSchema } from '../domain/report/claims.ts';
import { reportSchema, studyFactsSchema } from '../domain/report/report.ts';
import { keptPacketsSchema, packetChoices } from '../domain/runs/capture.ts';
import { comparedSeriesSchema, comparisonSchema } from '../domain/runs/comparison.ts';
import { experimentDetailSchema, headlineSchema } from '../domain/runs/experiment.ts';
import { runDetailSchema } from '../domain/runs/run.ts';
import { studyRunSchema } from './studies.ts';

/** Whether a link also shows addresses, processes, paths and full logs; for a run, also packets and keys. */
const shown = { details: z.boolean().optional(), packets: z.enum(packetChoices).optional() };
/** Divisible by 3, so that base64 needs no padding at the limit. */
const maxImageBytes = 450_000;
/** Expiry, number of openings and password for a link. */
const linkOptions = {
  ...shown,
  expiresAt: instantMs.optional(),
  password: textFrom(8, 200).optional(),
  /** Maximum number of openings; repeated openings by one browser within twelve hours count once. */
  maxOpenings: z.int().min(1).max(100_000).optional(),
  /** Freezes the current content; otherwise the content is live until all of it is final. */
  frozen: z.boolean().optional(),
  /** Preview image for chats and mail programs: PNG, base64. */
  image: z
    .string()
    .regex(/^iVBORw0KGgo[A-Za-z0-9+/]*={0,2}$/, 'is not a PNG in base64')
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
      /** Includes flagged runs. */
      flagged: z.boolean().default(false),
      ...options,
    }),
  ]);

export const createShareSchema = subjectsWith(linkOptions);
/** Settings for a link to preview. */
export const previewShareSchema = subjectsWith(shown);

/** Data that a link would show and omit, in words. */
export const sharePreviewSchema = z.strictObject({
  shows: z.array(z.string()),
  hides: z.array(z.string()),
  /** For a run: files that the link can include. */
  packets: keptPacketsSchema,
  /** Data for the preview image. */
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
  /** Author, as in the activity log; null on a server without accounts. */
  madeBy: z.string().max(200).nullable(),
  expiresAt: instantMs.nullable(),
  revokedAt: instantMs.nullable(),
  /** True if the link also shows addresses, processes, paths and full logs. */
  details: z.boolean(),
  packets: z.enum(packetChoices),
  hasPassword: z.boolean(),
  openings: z.int(),
  /** null if unlimited. */
  maxOpenings: z.int().nullable(),
  /** null if live. */
  frozenAt: z.number().nullable(),
});

/** Data for the document of one part of a study run. */
const partResultSchema = z.strictObject({
  partId: z.string(),
  comparison: comparisonSchema,
  facts: studyFactsSchema,
  /** null if the report is not used, or if the part is not finished. */
  report: reportSchema.nullable(),
});

/** Content of a share link, frozen as soon as all of it is final. */
export const sharedContentSchema = z.strictObject({
  share: shareSchema,
  /** True if the content is not yet final; poll again. */
  live: z.boolean(),
  frozenAt: z.number().nullable(),
  content: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('experiment'),
      experiment: experimentDetailSchema,
      comparison: comparisonSchema,
      /** Main result over time; absent in links frozen by earlier versions. */
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
      /** Parts whose experiment exists. */
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
