import { type LogLine, logLineSchema } from '@mqttlab/shared/domain/role-result';
import * as z from 'zod';
import type { Database } from './database.ts';

export interface StoredLogLine {
  experimentId: number | null;
  runId: number | null;
  line: LogLine;
}

/** Longer texts are cut: a log line is for reading. */
const maximumCharacters = 4000;

const columns = 'experiment_id, run_id, at, level, source, text';
const rowSchema = z.object({
  ...logLineSchema.shape,
  experiment_id: z.int().nullable(),
  run_id: z.int().nullable(),
});

function parseRow(input: unknown): StoredLogLine {
  const { experiment_id: experimentId, run_id: runId, ...line } = rowSchema.parse(input);
  return { experimentId, runId, line };
}

export function appendLogLine(database: Database, { experimentId, runId, line }: StoredLogLine): void {
  database.run(
    `INSERT INTO log_lines (${columns}) VALUES (:experimentId, :runId, :at, :level, :source, :text)`,
    {
      experimentId,
      runId,
      at: line.at,
      level: line.level,
      source: line.source,
      text: line.text.slice(0, maximumCharacters),
    },
  );
}

/** Newest last. */
export function recentLogLines(database: Database, limit: number): StoredLogLine[] {
  return database
    .all(`SELECT ${columns} FROM log_lines ORDER BY id DESC LIMIT :limit`, { limit })
    .map(parseRow)
    .reverse();
}

/** Oldest first. */
export function runLogLines(database: Database, runId: number): StoredLogLine[] {
  return database
    .all(`SELECT ${columns} FROM log_lines WHERE run_id = :runId ORDER BY id`, { runId })
    .map(parseRow);
}
