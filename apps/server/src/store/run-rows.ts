import { exclusionSchema, failureSchema, type RunSummary, runStatuses } from '@mqttlab/shared/domain/run';
import { verdictSchema } from '@mqttlab/shared/domain/verdict';
import * as z from 'zod';
import type { Database } from './database.ts';
import { countSchema, flag, json } from './row.ts';

const columns = `id, experiment_id, trial_number, block, treatment_key, attempt, retry_of, status, started_at,
  finished_at, flagged, failure_json, verdicts_json, notes, tags_json, exclusion_json, bases_json,
  (SELECT json_group_object(metric, value) FROM run_metrics WHERE run_id = runs.id) AS metrics_json`;

const runRowSchema = z.object({
  id: z.int(),
  experiment_id: z.int(),
  trial_number: z.int(),
  block: z.int(),
  treatment_key: z.string(),
  attempt: z.int(),
  retry_of: z.int().nullable(),
  status: z.enum(runStatuses),
  started_at: z.number().nullable(),
  finished_at: z.number().nullable(),
  flagged: flag,
  failure_json: json(failureSchema).nullable(),
  verdicts_json: json(z.array(verdictSchema)),
  notes: z.string(),
  tags_json: json(z.array(z.string())),
  exclusion_json: json(exclusionSchema).nullable(),
  bases_json: json(z.record(z.string(), z.string())).nullable(),
  metrics_json: json(z.record(z.string(), z.number().nullable())),
});

function parseRun(input: unknown): RunSummary {
  const row = runRowSchema.parse(input);
  return {
    id: row.id,
    experimentId: row.experiment_id,
    trialNumber: row.trial_number,
    block: row.block,
    treatmentKey: row.treatment_key,
    attempt: row.attempt,
    retryOf: row.retry_of,
    status: row.status,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    flagged: row.flagged,
    failure: row.failure_json,
    verdicts: row.verdicts_json,
    metrics: row.metrics_json,
    notes: row.notes,
    tags: row.tags_json,
    exclusion: row.exclusion_json,
    ...(row.bases_json === null ? {} : { bases: row.bases_json }),
  };
}

/** Oldest first. */
export function listRunSummaries(database: Database, experimentId: number): RunSummary[] {
  return database
    .all(`SELECT ${columns} FROM runs WHERE experiment_id = :experimentId ORDER BY id`, { experimentId })
    .map(parseRun);
}

export function listUnsettledRuns(database: Database): RunSummary[] {
  return database
    .all(
      `SELECT ${columns} FROM runs
       WHERE status IN ('planned', 'preparing', 'running', 'collecting') ORDER BY id`,
    )
    .map(parseRun);
}

export function findRunSummary(database: Database, id: number): RunSummary | null {
  const row = database.get(`SELECT ${columns} FROM runs WHERE id = :id`, { id });
  return row ? parseRun(row) : null;
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

const timesRowSchema = z
  .object({ measured_at: z.number().nullable(), overhead_ms: z.number().nullable() })
  .transform((row) => ({ measuredAt: row.measured_at, overheadMs: row.overhead_ms }));

export type RunTimes = z.infer<typeof timesRowSchema>;

/** Throws RangeError where the run is not there. */
export function findRunTimes(database: Database, id: number): RunTimes {
  const row = database.get('SELECT measured_at, overhead_ms FROM runs WHERE id = :id', { id });
  if (!row) throw new RangeError(`there is no run ${id}`);
  return timesRowSchema.parse(row);
}

/** One more try; returns how many there were. Throws RangeError where the run is not there. */
export function countSettling(database: Database, id: number): number {
  const row = database.get(
    'UPDATE runs SET settle_tries = settle_tries + 1 WHERE id = :id RETURNING settle_tries AS count',
    { id },
  );
  if (!row) throw new RangeError(`there is no run ${id}`);
  return countSchema.parse(row).count;
}

export function findLastResultAt(database: Database, id: number): number | null {
  const row = database.get('SELECT max(received_at) AS at FROM run_results WHERE run_id = :id', { id });
  return z.object({ at: z.number().nullable() }).parse(row).at;
}
