import {
  type ExperimentSummary,
  experimentStatuses,
  importedSchema,
  progressSchema,
  storedHeadlineSchema,
} from '@mqttlab/shared/domain/experiment';
import { experimentDraftSchema } from '@mqttlab/shared/domain/experiment-draft';
import * as z from 'zod';
import { json } from './row.ts';

/** Columns that lists need; the draft and the plan stay on disk. */
export const summaryColumns = `id, status, name, question, notes, tags_json, testbed_id, varied_json,
  headline_json, trials, done, failed, cancelled, flagged, retried, running, created_at, updated_at,
  started_at, finished_at, queued_at, deleted_at, imported_json`;

const summaryRowSchema = z.object({
  ...progressSchema.shape,
  id: z.int(),
  status: z.enum(experimentStatuses),
  name: z.string(),
  question: z.string(),
  notes: z.string(),
  tags_json: json(z.array(z.string())),
  testbed_id: z.string(),
  varied_json: json(z.array(z.string())),
  headline_json: json(storedHeadlineSchema).nullable(),
  created_at: z.number(),
  updated_at: z.number(),
  started_at: z.number().nullable(),
  finished_at: z.number().nullable(),
  queued_at: z.number().nullable(),
  deleted_at: z.number().nullable(),
  imported_json: json(importedSchema).nullable(),
});

const recordRowSchema = summaryRowSchema.extend({ draft_json: json(experimentDraftSchema) });

export type SummaryRow = z.infer<typeof summaryRowSchema>;
export type RecordRow = z.infer<typeof recordRowSchema>;

export function parseSummaryRow(row: unknown): SummaryRow {
  return summaryRowSchema.parse(row);
}

export function parseRecordRow(row: unknown): RecordRow {
  return recordRowSchema.parse(row);
}

/** Pure; `timeLeftMs` comes from the runs. */
export function makeSummary(row: SummaryRow, timeLeftMs: number | null): ExperimentSummary {
  const { trials, done, failed, cancelled, flagged, retried, running } = row;
  return {
    id: row.id,
    name: row.name,
    question: row.question,
    status: row.status,
    tags: row.tags_json,
    notes: row.notes,
    testbedId: row.testbed_id,
    varied: row.varied_json,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    progress: { trials, done, failed, cancelled, flagged, retried, running },
    timeLeftMs,
    headline: row.headline_json,
    deletedAt: row.deleted_at,
    imported: row.imported_json,
  };
}
