import { type LogLine, logLineSchema } from '@mqttlab/shared/domain/runs/role-result';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { countOf, defineTable, type RowOf } from '../table.ts';

export interface StoredLogLine {
  experimentId: number | null;
  runId: number | null;
  line: LogLine;
}

/** Longer texts are truncated. */
const maximumCharacters = 4000;

const logLines = defineTable('log_lines', {
  id: z.int(),
  experimentId: z.int().nullable(),
  runId: z.int().nullable(),
  ...logLineSchema.shape,
});

function toStored({ id: _, experimentId, runId, ...line }: RowOf<typeof logLines>): StoredLogLine {
  return { experimentId, runId, line };
}

export function appendLogLine(database: Database, { experimentId, runId, line }: StoredLogLine): void {
  const text = line.text.slice(0, maximumCharacters);
  logLines(database).insert({ experimentId, runId, ...line, text });
}

/** Maximum stored lines: in total, and without an experiment. */
export interface LogRetention {
  all: number;
  alone: number;
}

const usualRetention: LogRetention = { all: 100_000, alone: 10_000 };
/** Maximum deletions at a time: a database from before the limit may have millions. */
const maxPruned = 5_000;

/** Removes the oldest lines above the limit. */
export function pruneLogLines(database: Database, keep: LogRetention = usualRetention): void {
  const limit = maxPruned;
  database.run(
    `DELETE FROM log_lines WHERE id IN (SELECT id FROM log_lines
       WHERE id <= (SELECT max(id) FROM log_lines) - :keep ORDER BY id LIMIT :limit)`,
    { keep: keep.all, limit },
  );
  const alone = 'experiment_id IS NULL AND run_id IS NULL';
  database.run(
    `DELETE FROM log_lines WHERE id IN (SELECT id FROM log_lines WHERE ${alone} AND id <=
       (SELECT id FROM log_lines WHERE ${alone} ORDER BY id DESC LIMIT 1 OFFSET :keep) ORDER BY id LIMIT :limit)`,
    { keep: keep.alone, limit },
  );
}

/** Newest last. */
export function recentLogLines(database: Database, limit: number): StoredLogLine[] {
  return logLines(database).list('ORDER BY id DESC LIMIT :limit', { limit }).map(toStored).reverse();
}

export interface LogPage {
  /** Newest first, with the number to continue from. */
  lines: (StoredLogLine & { id: number })[];
  /** Number of all lines. */
  total: number;
}

/** Lines of an experiment and of its runs that are older than `before`; null starts with the newest. */
export function experimentLogPage(
  database: Database,
  experimentId: number,
  { before, limit }: { before: number | null; limit: number },
): LogPage {
  const of = `(experiment_id = :experimentId
    OR run_id IN (SELECT id FROM runs WHERE experiment_id = :experimentId))`;
  const page = { experimentId, before: before ?? Number.MAX_SAFE_INTEGER, limit };
  return {
    lines: logLines(database)
      .list(`WHERE ${of} AND id < :before ORDER BY id DESC LIMIT :limit`, page)
      .map((row) => ({ id: row.id, ...toStored(row) })),
    total: countOf(database, `SELECT count(*) AS count FROM log_lines WHERE ${of}`, { experimentId }),
  };
}

/** Oldest first. */
export function runLogLines(database: Database, runId: number): StoredLogLine[] {
  return logLines(database).list('WHERE run_id = :runId ORDER BY id', { runId }).map(toStored);
}
