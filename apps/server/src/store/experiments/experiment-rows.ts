import { count, instantMs } from '@mqttlab/shared/domain/bounds';
import { experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import {
  type ExperimentSummary,
  experimentStatuses,
  importedSchema,
  isFinished,
  progressSchema,
  storedHeadlineSchema,
} from '@mqttlab/shared/domain/runs/experiment';
import * as z from 'zod';
import { json } from '../row.ts';

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
  // Computed from the runs, so that it may be missing.
  headline_json: json(storedHeadlineSchema).nullable().catch(null),
  created_at: instantMs,
  updated_at: instantMs,
  started_at: instantMs.nullable(),
  finished_at: instantMs.nullable(),
  queued_at: instantMs.nullable(),
  deleted_at: instantMs.nullable(),
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

const or = <T>(schema: z.ZodType<T>, instead: T) => schema.catch(instead);
const zero = or(count, 0);

/** Whatever of a row can be read, in the form of a list. */
const brokenRowSchema = z.object({
  id: z.int(),
  status: or(z.enum(experimentStatuses), 'cancelled'),
  name: or(z.string().min(1), 'Without a name'),
  testbed_id: or(z.string(), ''),
  created_at: or(instantMs, 0),
  updated_at: or(instantMs, 0),
  deleted_at: or(instantMs.nullable(), null),
  trials: zero,
  done: zero,
  failed: zero,
  cancelled: zero,
});

/** Stands in for an experiment that cannot be read: it is over, and says what is wrong. */
export function makeBrokenSummary(input: unknown, reason: string): ExperimentSummary {
  const row = brokenRowSchema.parse(input);
  const { trials, done, failed, cancelled } = row;
  return {
    id: row.id,
    name: row.name.slice(0, 200),
    question: '',
    status: isFinished(row.status) ? row.status : 'cancelled',
    tags: [],
    notes: '',
    varied: [],
    headline: null,
    timeLeftMs: null,
    imported: null,
    testbedId: row.testbed_id.slice(0, 80),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
    startedAt: null,
    finishedAt: null,
    progress: { trials, done, failed, cancelled, flagged: 0, retried: 0, running: 0 },
    broken: reason,
  };
}
