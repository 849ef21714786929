import { setImmediate as breathe } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import * as z from 'zod';
import type { Database } from './database.ts';

const runsAtOnce = 40;

/** Everything that is stored of an experiment, row by row, read by no schema: for what cannot be read any more. */
export async function* storedRows(database: Database, experimentId: number): AsyncGenerator<string> {
  const runs = `SELECT * FROM runs WHERE experiment_id = :id AND id > :after ORDER BY id LIMIT ${runsAtOnce}`;
  const lineOf = (table: string) => (row: unknown) => `${JSON.stringify({ table, row: legible(row) })}\n`;
  yield* database
    .all('SELECT * FROM experiments WHERE id = :id', { id: experimentId })
    .map(lineOf('experiments'));
  for (let after = 0; ; ) {
    const page = database.all(runs, { id: experimentId, after });
    for (const row of page) {
      const { id } = z.object({ id: z.int() }).parse(row);
      yield lineOf('runs')(row);
      for (const table of ['run_metrics', 'run_results', 'run_series']) {
        yield* database.all(`SELECT * FROM ${table} WHERE run_id = :id`, { id }).map(lineOf(table));
      }
      after = id;
      await breathe();
    }
    if (page.length < runsAtOnce) return;
  }
}

function legible(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, legibleValue(value)]));
}

/** Packed JSON as its text, other bytes in base64, and numbers that JSON does not know as words. */
function legibleValue(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (!(value instanceof Uint8Array)) return value;
  try {
    return inflateSync(value, { maxOutputLength: 64 * 1024 * 1024 }).toString('utf8');
  } catch {
    return { base64: Buffer.from(value).toString('base64') };
  }
}
