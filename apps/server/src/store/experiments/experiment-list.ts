import { type ExperimentStatus, finishedStatuses } from '@mqttlab/shared/domain/runs/statuses';
import type { ExperimentList, ExperimentListQuery } from '@mqttlab/shared/messages/http';
import { overBudgetWords } from '@mqttlab/shared/messages/storage';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { readStorageSettings } from '../settings/storage-store.ts';
import { countOf } from '../table.ts';
import { summaries } from './experiment-rows.ts';

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

const idSchema = z.object({ id: z.int() });

/** Newest first, without what was deleted. Reads summaries only; the rows are as they are stored. */
export function listExperiments(
  database: Database,
  query: ExperimentListQuery,
): { rows: unknown[]; rest: Omit<ExperimentList, 'items'> } {
  const { where, params } = makeFilter(query);
  const rows = database.all(
    `SELECT ${summaries.columns} FROM experiments WHERE ${where} AND id < :before
     ORDER BY id DESC LIMIT :limit OFFSET :offset`,
    {
      ...params,
      before: query.before ?? Number.MAX_SAFE_INTEGER,
      limit: query.limit + 1,
      offset: query.before === undefined ? query.offset : 0,
    },
  );
  const page = rows.slice(0, query.limit);
  const next = rows.length > page.length ? { next: idSchema.parse(page.at(-1)).id } : {};
  return {
    rows: page,
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

/** The levels of an experiment as JSON; empty where its draft cannot be read. */
const levelsText = `CASE WHEN json_valid(draft_json) THEN coalesce(draft_json ->> '$.factors', '') ELSE '' END`;

function makeFilter(query: ExperimentListQuery): { where: string; params: Record<string, string> } {
  const clauses = ['deleted_at IS NULL', statusFilter[query.status]];
  const params: Record<string, string> = {};
  if (query.search?.trim()) {
    // Every word somewhere in name, question, notes, tags, the factors varied, the levels or the testbed.
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

const statusCountsSchema = z.object({ all: z.int(), active: z.int(), draft: z.int(), finished: z.int() });

function countByStatus(database: Database): ExperimentList['counts'] {
  return statusCountsSchema.parse(
    database.get(
      `SELECT count(*) AS "all",
         count(*) FILTER (WHERE ${statusFilter.active}) AS active,
         count(*) FILTER (WHERE ${statusFilter.draft}) AS draft,
         count(*) FILTER (WHERE ${statusFilter.finished}) AS finished
       FROM experiments WHERE deleted_at IS NULL`,
    ),
  );
}

function listTags(database: Database): string[] {
  return database
    .all(
      `SELECT DISTINCT tag FROM experiment_tags JOIN experiments ON id = experiment_id
       WHERE deleted_at IS NULL ORDER BY tag COLLATE NOCASE`,
    )
    .map((row) => z.object({ tag: z.string() }).parse(row).tag);
}
