import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { count, instantMs } from '@mqttlab/shared/domain/bounds';
import { type ExperimentDraft, experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { type Plan, planSchema } from '@mqttlab/shared/domain/plans/plan';
import {
  type ExperimentSummary,
  headlineSchema,
  importedSchema,
  progressSchema,
} from '@mqttlab/shared/domain/runs/experiment';
import {
  type ExperimentStatus,
  experimentStatuses,
  finishedStatuses,
  isFinished,
} from '@mqttlab/shared/domain/runs/statuses';
import type { ExperimentList, ExperimentListQuery } from '@mqttlab/shared/messages/http';
import { overBudgetWords } from '@mqttlab/shared/messages/storage';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { readStorageSettings } from '../settings/settings-store.ts';
import { blob, countOf, defineTable, flag, json, pageOf, type RowOf, unpackJson } from '../table.ts';

export const activeStatuses: readonly ExperimentStatus[] = [
  'queued',
  'running',
  'pausing',
  'paused',
  'stopping',
];

const statusFilter: Readonly<Record<ExperimentListQuery['status'], string>> = {
  all: '1',
  active: `status IN (${quoted(activeStatuses)})`,
  draft: `status = 'draft'`,
  finished: `status IN (${quoted(finishedStatuses)})`,
};

export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

/** Lists experiments that are not deleted, newest first. Returns summary rows as they are stored. */
export function queryExperiments(
  database: Database,
  query: ExperimentListQuery,
): { rows: unknown[]; rest: Omit<ExperimentList, 'items'> } {
  const { where, params } = makeFilter(query);
  const rows = database.all<{ id: number }>(
    `SELECT ${summaries.columns} FROM experiments WHERE ${where} AND id < :before
     ORDER BY id DESC LIMIT :limit OFFSET :offset`,
    {
      ...params,
      before: query.before ?? Number.MAX_SAFE_INTEGER,
      limit: query.limit + 1,
      offset: query.before === undefined ? query.offset : 0,
    },
  );
  const { items, ...next } = pageOf(rows, query.limit);
  return {
    rows: items,
    rest: {
      ...next,
      total: countOf(database, `SELECT count(*) AS count FROM experiments WHERE ${where}`, params),
      counts: countByStatus(database),
      tags: listTags(database),
      runs: countOf(
        database,
        'SELECT coalesce(sum(done + failed + cancelled), 0) AS count FROM experiments WHERE deleted_at IS NULL',
      ),
      ...dataSize(database),
    },
  };
}

function dataSize(database: Database): Pick<ExperimentList, 'dataBytes' | 'overBudget'> {
  const dataBytes = database.sizeBytes();
  const overBudget = overBudgetWords(dataBytes, readStorageSettings(database).budgetBytes);
  return { dataBytes, ...(overBudget === undefined ? {} : { overBudget }) };
}

/** SQL for the levels in an experiment as JSON; empty if its draft is unreadable. */
const levelsText = `CASE WHEN json_valid(draft_json) THEN coalesce(draft_json ->> '$.factors', '') ELSE '' END`;

function makeFilter(query: ExperimentListQuery): { where: string; params: Record<string, string> } {
  const clauses = ['deleted_at IS NULL', statusFilter[query.status]];
  const params: Record<string, string> = {};
  if (query.search?.trim()) {
    // Every word must occur in name, question, notes, tags, varied factors, levels or testbed.
    for (const [index, word] of query.search.trim().split(/\s+/).entries()) {
      params[`word${index}`] = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
      clauses.push(`(name || char(10) || question || char(10) || notes || char(10) || tags_json || char(10)
        || varied_json || char(10) || testbed_id || char(10) || ${levelsText})
        LIKE :word${index} ESCAPE '\\'`);
    }
  }
  if (query.tag) {
    params.tag = query.tag;
    clauses.push('id IN (SELECT experiment_id FROM experiment_tags WHERE tag = :tag)');
  }
  return { where: clauses.join(' AND '), params };
}

function countByStatus(database: Database): ExperimentList['counts'] {
  const counts = database.get<ExperimentList['counts']>(
    `SELECT count(*) AS "all",
         count(*) FILTER (WHERE ${statusFilter.active}) AS active,
         count(*) FILTER (WHERE ${statusFilter.draft}) AS draft,
         count(*) FILTER (WHERE ${statusFilter.finished}) AS finished
       FROM experiments WHERE deleted_at IS NULL`,
  );
  return { all: 0, active: 0, draft: 0, finished: 0, ...counts };
}

function listTags(database: Database): string[] {
  return database.column(
    `SELECT DISTINCT tag FROM experiment_tags JOIN experiments ON id = experiment_id
     WHERE deleted_at IS NULL ORDER BY tag COLLATE NOCASE`,
  );
}

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
  /** Position in the queue of its testbed; smaller values are first. */
  queuedAt: instantMs.nullable(),
  deletedAt: instantMs.nullable(),
  // Computed from the runs, so an unreadable headline can be omitted.
  headline: json(headlineSchema).nullable().catch(null),
  /** Set if the experiment was imported. */
  imported: json(importedSchema).nullable(),
  keepEverything: flag,
  ...progressSchema.shape,
};

/** Columns for lists, without draft and plan. */
export const summaries = defineTable('experiments', summaryShape);
export const records = defineTable('experiments', { ...summaryShape, draft: json(experimentDraftSchema) });

export type SummaryRow = RowOf<typeof summaries>;
export type RecordRow = RowOf<typeof records>;

/** Returns the labels of varied factors, for lists. */
export function labelsOf(factorIds: readonly string[]): string[] {
  return factorIds.map((id) => findFactor(id)?.label ?? id);
}

export function rowOfDraft(draft: ExperimentDraft): Partial<RecordRow> {
  const { name, question, notes, tags, testbedId } = draft;
  const varied = Object.entries(draft.factors).filter(([, levels]) => new Set(levels).size > 1);
  return { name, question, notes, tags, testbedId, draft, varied: labelsOf(varied.map(([id]) => id)) };
}

/** Returns the summary of a row; `timeLeftMs` is computed from the runs. Pure. */
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

/** Readable columns of a damaged row. */
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

/** Returns the summary of an unreadable experiment: finished, with the reason. */
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

const cachedPlans = 16;
const packedPlans = defineTable('experiments', { planPacked: blob.nullable() });

/**
 * Returns plans by experiment; null for a draft or an unknown experiment. Caches recent plans, because a plan
 * never changes, and unpacking 10,000 trials takes longer than a query.
 */
export function makePlanCache(database: Database) {
  const kept = new Map<number, Plan>();
  const read = (id: number): Plan | null => {
    const packed = packedPlans(database).find('WHERE id = :id', { id })?.planPacked;
    return packed ? unpackJson(packed, planSchema) : null;
  };
  return {
    find(id: number): Plan | null {
      const plan = kept.get(id) ?? read(id);
      if (!plan) return null;
      kept.delete(id);
      kept.set(id, plan);
      const [oldest] = kept.keys();
      if (kept.size > cachedPlans && oldest !== undefined) kept.delete(oldest);
      return plan;
    },
    forget(id: number): void {
      kept.delete(id);
    },
  };
}
