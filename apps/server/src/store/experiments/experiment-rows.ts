import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { count, instantMs } from '@mqttlab/shared/domain/bounds';
import { type ExperimentDraft, experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import {
  type ExperimentSummary,
  headlineSchema,
  importedSchema,
  progressSchema,
} from '@mqttlab/shared/domain/runs/experiment';
import { experimentStatuses, isFinished } from '@mqttlab/shared/domain/runs/statuses';
import * as z from 'zod';
import { defineTable, flag, json, type RowOf } from '../table.ts';

const summaryShape = {
  id: z.int(),
  name: z.string(),
  question: z.string(),
  status: z.enum(experimentStatuses),
  tags: json(z.array(z.string())),
  notes: z.string(),
  testbedId: z.string(),
  varied: json(z.array(z.string())),
  createdAt: instantMs,
  updatedAt: instantMs,
  startedAt: instantMs.nullable(),
  startedBy: z.string().nullable(),
  finishedAt: instantMs.nullable(),
  /** Place in the queue of its testbed: smaller first. */
  queuedAt: instantMs.nullable(),
  deletedAt: instantMs.nullable(),
  // Computed from the runs, so that it may be missing.
  headline: json(headlineSchema).nullable().catch(null),
  /** Set where it came in a bundle. */
  imported: json(importedSchema).nullable(),
  keepEverything: flag,
  ...progressSchema.shape,
};

/** What lists need; the draft and the plan stay on disk. */
export const summaries = defineTable('experiments', summaryShape);
export const records = defineTable('experiments', { ...summaryShape, draft: json(experimentDraftSchema) });

export type SummaryRow = RowOf<typeof summaries>;
export type RecordRow = RowOf<typeof records>;

/** Labels of factors, as lists show what is varied. */
export function labelsOf(factorIds: readonly string[]): string[] {
  return factorIds.map((id) => findFactor(id)?.label ?? id);
}

export function rowOfDraft(draft: ExperimentDraft): Partial<RecordRow> {
  const { name, question, notes, tags, testbedId } = draft;
  const varied = Object.entries(draft.factors).filter(([, levels]) => new Set(levels).size > 1);
  return { name, question, notes, tags, testbedId, draft, varied: labelsOf(varied.map(([id]) => id)) };
}

/** Pure; `timeLeftMs` comes from the runs. */
export function makeSummary(row: SummaryRow, timeLeftMs: number | null): ExperimentSummary {
  const {
    trials,
    done,
    failed,
    cancelled,
    flagged,
    retried,
    running,
    queuedAt: _,
    keepEverything,
    ...rest
  } = row;
  return {
    ...rest,
    ...(keepEverything ? { keepEverything } : {}),
    progress: { trials, done, failed, cancelled, flagged, retried, running },
    timeLeftMs,
  };
}

const or = <T>(schema: z.ZodType<T>, instead: T) => schema.catch(instead);
const zero = or(count, 0);

/** Whatever of a row can be read, in the form of a list. */
const brokenRowSchema = z.object({
  id: z.int(),
  status: or(z.enum(experimentStatuses), 'cancelled'),
  name: or(z.string().min(1), 'Without a name'),
  testbedId: or(z.string(), ''),
  createdAt: or(instantMs, 0),
  updatedAt: or(instantMs, 0),
  deletedAt: or(instantMs.nullable(), null),
  trials: zero,
  done: zero,
  failed: zero,
  cancelled: zero,
});

/** Stands in for an experiment that cannot be read: it is over, and says what is wrong. */
export function makeBrokenSummary(input: unknown, reason: string): ExperimentSummary {
  const { trials, done, failed, cancelled, status, name, testbedId, ...row } = brokenRowSchema.parse(input);
  return {
    ...row,
    name: name.slice(0, 200),
    question: '',
    status: isFinished(status) ? status : 'cancelled',
    tags: [],
    notes: '',
    varied: [],
    headline: null,
    timeLeftMs: null,
    imported: null,
    testbedId: testbedId.slice(0, 80),
    startedAt: null,
    startedBy: null,
    finishedAt: null,
    progress: { trials, done, failed, cancelled, flagged: 0, retried: 0, running: 0 },
    broken: reason,
  };
}
