import { instantMs, measure, ordinal, sentence } from '@mqttlab/shared/domain/bounds';
import {
  exclusionSchema,
  failureSchema,
  type RunRow,
  type RunSummary,
  redefinedSchema,
  runRowOf,
} from '@mqttlab/shared/domain/runs/run';
import { runStatuses } from '@mqttlab/shared/domain/runs/statuses';
import { verdictSchema } from '@mqttlab/shared/domain/runs/verdict';
import * as z from 'zod';
import { readEach } from '../broken-row.ts';
import type { Database, Params } from '../database.ts';
import { defineRow, defineTable, flag, json, type RowOf } from '../table.ts';

/** Columns that every row of a run has. */
const runColumns = {
  id: z.int(),
  experimentId: z.int(),
  trialNumber: ordinal,
  block: ordinal,
  treatmentKey: sentence,
  attempt: ordinal,
  retryOf: z.int().nullable(),
  status: z.enum(runStatuses),
  startedAt: instantMs.nullable(),
  finishedAt: instantMs.nullable(),
  flagged: flag,
  failure: json(failureSchema).nullable(),
  verdicts: json(z.array(verdictSchema)),
};

const runs = defineRow(
  {
    ...runColumns,
    // What no measurement gives is left out.
    metrics: json(z.record(z.string(), measure.nullable().catch(null))),
    notes: z.string(),
    tags: json(z.array(z.string())),
    exclusion: json(exclusionSchema).nullable(),
    bases: json(z.record(z.string(), z.string())).nullable(),
    redefined: json(redefinedSchema).nullable().catch(null),
    seriesRemovedAt: instantMs.nullable(),
  },
  { metrics: '(SELECT json_group_object(metric, value) FROM run_metrics WHERE run_id = runs.id)' },
);

const brokenRunSchema = z.object({
  id: z.int(),
  experimentId: z.int(),
  trialNumber: ordinal.catch(1),
  block: ordinal.catch(1),
  treatmentKey: z.string().catch(''),
  attempt: ordinal.catch(1),
  retryOf: z.int().nullable().catch(null),
});

/** Stands in for a Run that cannot be read: it failed, so that no figure counts it. */
function makeBrokenRun(input: unknown, reason: string): RunSummary {
  return {
    ...brokenRunSchema.parse(input),
    status: 'failed',
    startedAt: null,
    finishedAt: null,
    flagged: true,
    verdicts: [],
    metrics: {},
    failure: {
      code: 'unreadable',
      message: `What is stored of this run cannot be read: ${reason}.`,
      remedy: 'Export its experiment as it is stored; the other runs are not affected.',
    },
    notes: '',
    tags: [],
    exclusion: null,
  };
}

function parseRun(input: unknown): RunSummary {
  const { bases, redefined, seriesRemovedAt, ...run } = runs.parse(input);
  return {
    ...run,
    ...(bases === null ? {} : { bases }),
    ...(redefined === null ? {} : { redefined }),
    ...(seriesRemovedAt === null ? {} : { seriesRemovedAt }),
  };
}

function select(database: Database, rest: string, params?: Params): RunSummary[] {
  return readEach(database.all(`SELECT ${runs.columns} FROM runs ${rest}`, params), parseRun, makeBrokenRun);
}

/** Oldest first. */
export function listRunSummaries(database: Database, experimentId: number): RunSummary[] {
  return select(database, 'WHERE experiment_id = :experimentId ORDER BY id', { experimentId });
}

/** A page of them, oldest first, behind a run: a thousand at once would keep others waiting. */
export function listRunPage(
  database: Database,
  experimentId: number,
  { after, limit }: { after: number; limit: number },
): RunSummary[] {
  return select(database, 'WHERE experiment_id = :experimentId AND id > :after ORDER BY id LIMIT :limit', {
    experimentId,
    after,
    limit,
  });
}

const rows = defineRow(
  {
    ...runColumns,
    metrics: json(z.record(z.string(), measure.nullable().catch(null))),
    tags: json(z.array(z.string())),
    exclusion: json(exclusionSchema).nullable(),
    bases: json(z.record(z.string(), z.string())).nullable(),
    isRedefined: flag,
  },
  {
    // Unflagged runs have no failed verdict: theirs are not parsed.
    verdicts: `CASE WHEN flagged = 1 THEN (SELECT json_group_array(json(value)) FROM json_each(verdicts_json)
      WHERE value ->> 'status' = 'failed') ELSE '[]' END`,
    metrics: `(SELECT json_group_object(metric, value) FROM run_metrics
      WHERE run_id = runs.id AND metric IN (SELECT value FROM json_each(:metrics)))`,
    isRedefined: 'redefined_json IS NOT NULL',
  },
);

function parseRow(input: unknown): RunRow {
  const { bases, isRedefined, ...row } = rows.parse(input);
  return { ...row, ...(bases === null ? {} : { bases }), ...(isRedefined ? { isRedefined } : {}) };
}

/** A page of the rows of an experiment, oldest first, behind a run. */
export function listRunRows(
  database: Database,
  experimentId: number,
  { after, limit, metrics }: { after: number; limit: number; metrics: readonly string[] },
): RunRow[] {
  const found = database.all(
    `SELECT ${rows.columns} FROM runs WHERE experiment_id = :experimentId AND id > :after ORDER BY id LIMIT :limit`,
    { experimentId, after, limit, metrics: JSON.stringify(metrics) },
  );
  return readEach(found, parseRow, (input, reason) => runRowOf(makeBrokenRun(input, reason), []));
}

/** Done runs, those whose series were removed by retention, and the first of the latter. */
export function countRemovedSeries(
  database: Database,
  experimentId: number,
): { done: number; removed: number; firstRemoved: number | null } {
  const row = database.get(
    `SELECT count(*) AS done, count(series_removed_at) AS removed,
       min(CASE WHEN series_removed_at IS NOT NULL THEN id END) AS firstRemoved
     FROM runs WHERE experiment_id = :experimentId AND status = 'done'`,
    { experimentId },
  );
  return z.object({ done: z.int(), removed: z.int(), firstRemoved: z.int().nullable() }).parse(row);
}

/** The newest run that has begun and not ended; null if there is none. */
export function findCurrentRun(database: Database, experimentId: number): number | null {
  const row = database.get(
    `SELECT max(id) AS id FROM runs
     WHERE experiment_id = :experimentId AND status IN ('preparing', 'running', 'collecting')`,
    { experimentId },
  );
  return z.object({ id: z.int().nullable() }).parse(row).id;
}

/** A page of them, newest first, before a run. */
export function listNewestRuns(
  database: Database,
  experimentId: number,
  { before, limit }: { before: number | null; limit: number },
): RunSummary[] {
  return select(
    database,
    'WHERE experiment_id = :experimentId AND id < :before ORDER BY id DESC LIMIT :limit',
    { experimentId, before: before ?? Number.MAX_SAFE_INTEGER, limit },
  );
}

/** The attempts that count, one of each trial. */
export function listCountingIds(database: Database, experimentId: number): Set<number> {
  const found = database.all('SELECT id FROM runs WHERE experiment_id = :experimentId AND superseded = 0', {
    experimentId,
  });
  return new Set(found.map((row) => (row as { id: number }).id));
}

/** The experiment of a run; null if there is no such run. */
export function findExperimentOf(database: Database, id: number): number | null {
  const row = database.get('SELECT experiment_id AS id FROM runs WHERE id = :id', { id });
  return row === undefined ? null : z.object({ id: z.int() }).parse(row).id;
}

export function listUnsettledRuns(database: Database): RunSummary[] {
  return select(database, "WHERE status IN ('planned', 'preparing', 'running', 'collecting') ORDER BY id");
}

export function findRunSummary(database: Database, id: number): RunSummary | null {
  return select(database, 'WHERE id = :id', { id })[0] ?? null;
}

const countRowSchema = z.object({ status: z.enum(runStatuses), count: z.int() });

/** Every status, also those that no run has. */
export function countRunsByStatus(database: Database): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(runStatuses.map((status) => [status, 0]));
  for (const row of database.all('SELECT status, count(*) AS count FROM runs GROUP BY status')) {
    const { status, count } = countRowSchema.parse(row);
    counts[status] = count;
  }
  return counts;
}

const times = defineTable('runs', { measuredAt: z.number().nullable(), overheadMs: z.number().nullable() });

/** When measuring began, and what a run cost beside the load; null where unknown. Throws RangeError without the run. */
export function findRunTimes(database: Database, id: number): RowOf<typeof times> {
  const found = times(database).find('WHERE id = :id', { id });
  if (!found) throw new RangeError(`there is no run ${id}`);
  return found;
}

/** Counts, durably, that settling this Run is begun; returns how often it was. Throws RangeError without the run. */
export function countSettling(database: Database, id: number): number {
  const row = database.get(
    'UPDATE runs SET settle_tries = settle_tries + 1 WHERE id = :id RETURNING settle_tries AS count',
    { id },
  );
  if (!row) throw new RangeError(`there is no run ${id}`);
  return z.object({ count: z.int() }).parse(row).count;
}

/** When the last of its results arrived, Unix ms; null where none did. */
export function findLastResultAt(database: Database, id: number): number | null {
  const row = database.get('SELECT max(received_at) AS at FROM run_results WHERE run_id = :id', { id });
  return z.object({ at: z.number().nullable() }).parse(row).at;
}
