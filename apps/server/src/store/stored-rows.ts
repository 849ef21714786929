import { setImmediate as breathe } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import type { Database } from './database.ts';

/** Everything that is stored of an experiment, row by row, read by no schema: for what cannot be read any more. */
export async function* storedRows(database: Database, experimentId: number): AsyncGenerator<string> {
  const params = { id: experimentId };
  const ofRuns = 'run_id IN (SELECT id FROM runs WHERE experiment_id = :id)';
  const queries: Readonly<Record<string, string>> = {
    experiments: 'SELECT * FROM experiments WHERE id = :id',
    runs: 'SELECT * FROM runs WHERE experiment_id = :id ORDER BY id',
    run_metrics: `SELECT * FROM run_metrics WHERE ${ofRuns}`,
    run_results: `SELECT * FROM run_results WHERE ${ofRuns}`,
    run_series: `SELECT * FROM run_series WHERE ${ofRuns}`,
  };
  for (const [table, sql] of Object.entries(queries)) {
    for (const row of database.all(sql, params)) {
      yield `${JSON.stringify({ table, row: legible(row) })}\n`;
      await breathe();
    }
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
