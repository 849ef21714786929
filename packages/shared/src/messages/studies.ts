import * as z from 'zod';
import { studyFileSchema } from '../domain/plans/study-file.ts';
import { claimAnswers } from '../domain/report/claims.ts';
import { progressSchema } from '../domain/runs/experiment.ts';
import { experimentStatuses } from '../domain/runs/statuses.ts';
import { studyScales } from '../planning/study.ts';

const leftOutSchema = z.strictObject({
  what: z.string(),
  reason: z.string(),
  /** Remedy; empty if no change to the testbed would make it possible. */
  remedy: z.string(),
});

/** Cost of one scale of a part on a testbed. */
const scaleCostSchema = z.strictObject({
  scale: z.enum(studyScales),
  /** How this scale differs from the published study. */
  note: z.string(),
  runs: z.int(),
  durationMs: z.number(),
});

const studyPartSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  question: z.string(),
  /** Empty for a part that cannot run on this testbed; see `leftOut`. */
  scales: z.array(scaleCostSchema),
  leftOut: z.array(leftOutSchema),
});

const studyViewSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  question: z.string(),
  citation: z.string(),
  publishedTestbed: z.string(),
  /** File of a custom study (saved or imported); null for a built-in study. */
  own: studyFileSchema.nullable(),
  /** The study's latest run on this testbed with results; null before the first run. */
  board: z
    .strictObject({
      studyRunId: z.int(),
      scale: z.enum(studyScales),
      answers: z.record(z.enum(claimAnswers), z.int()),
    })
    .nullable(),
  /** Reason why the stored custom study cannot be read; absent if it can be read. */
  broken: z.string().optional(),
  parts: z.array(studyPartSchema),
});

export const studyListSchema = z.strictObject({ testbedId: z.string(), items: z.array(studyViewSchema) });

export const studyListQuerySchema = z.strictObject({ testbedId: z.string().max(80).optional() });

/** "true" includes flagged runs. */
export const studyBoardQuerySchema = z.strictObject({ flagged: z.enum(['true', 'false']).default('false') });

export const createFromStudySchema = z.strictObject({
  testbedId: z.string().max(80),
  scale: z.enum(studyScales),
  /** Default: the first part that can run. */
  part: z.string().max(20).optional(),
});

export const startStudySchema = z.strictObject({
  studyId: z.string().max(60),
  testbedId: z.string().max(80),
  scale: z.enum(studyScales),
  /** Default: all parts that can run. */
  parts: z.array(z.string().max(20)).min(1).max(20).optional(),
});

const studyRunPartSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  question: z.string(),
  /** Omissions when the study run was started. */
  leftOut: z.array(leftOutSchema),
  /** null for a part that was not run, either because of `leftOut` or because it was not selected. */
  experimentId: z.int().nullable(),
  /** Also null if the experiment was deleted permanently. */
  status: z.enum(experimentStatuses).nullable(),
  progress: progressSchema.nullable(),
  timeLeftMs: z.number().nullable(),
});

const studyRunStatuses = ['running', 'done', 'cancelled'] as const;

/** The parts of one study, started together and run in sequence. */
export const studyRunSchema = z.strictObject({
  id: z.int(),
  studyId: z.string(),
  title: z.string(),
  testbedId: z.string(),
  scale: z.enum(studyScales),
  createdAt: z.number(),
  /** done: all parts have finished. cancelled: at least one part was stopped before. */
  status: z.enum(studyRunStatuses),
  /** The custom study's file at that time; null for a built-in study. */
  own: studyFileSchema.nullable(),
  parts: z.array(studyRunPartSchema),
});

export const studyRunListSchema = z.strictObject({ items: z.array(studyRunSchema) });

/** Request to make a study from experiments, one part per experiment, with their results for comparison. */
export const saveStudySchema = z.strictObject({
  experimentIds: z.array(z.int().min(1)).min(1).max(8),
  title: z.string().trim().min(1).max(120),
  question: z.string().max(2000).default(''),
  source: z.string().max(300).default(''),
});

export const importStudySchema = z.strictObject({ text: z.string().min(1).max(2_000_000) });

export type StartStudy = z.infer<typeof startStudySchema>;
export type StudyRun = z.infer<typeof studyRunSchema>;
export type StudyRunPart = z.infer<typeof studyRunPartSchema>;
export type SaveStudy = z.infer<typeof saveStudySchema>;
export type StudyPartView = z.infer<typeof studyPartSchema>;
export type StudyView = z.infer<typeof studyViewSchema>;
export type StudyList = z.infer<typeof studyListSchema>;
export type CreateFromStudy = z.infer<typeof createFromStudySchema>;
