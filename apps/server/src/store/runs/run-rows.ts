import { instantMs, measure, ordinal, sentence } from '@mqttlab/shared/domain/bounds';
import {
  exclusionSchema,
  failureSchema,
  type RunSummary,
  redefinedSchema,
  runStatuses,
} from '@mqttlab/shared/domain/runs/run';
import { verdictSchema } from '@mqttlab/shared/domain/runs/verdict';
import * as z from 'zod';
import { readEach } from '../broken-row.ts';
import type { Database } from '../database.ts';
import { countSchema, flag, json } from '../row.ts';

const columns = `id, experiment_id, trial_number, block, treatment_key, attempt, retry_of, status, started_at,
  finished_at, flagged, failure_json, verdicts_json, notes, tags_json, exclusion_json, bases_json, redefined_json,
  (SELECT json_group_object(metric, value) FROM run_metrics WHERE run_id = runs.id) AS metrics_json`;

const runRowSchema = z.object({
  id: z.int(),
  experiment_id: z.int(),
  trial_number: ordinal,
  block: ordinal,
  treatment_key: sentence,
  attempt: ordinal,
  retry_of: z.int().nullable(),
  status: z.enum(runStatuses),
  started_at: instantMs.nullable(),
  finished_at: instantMs.nullable(),
  flagged: flag,
  failure_json: json(failureSchema).nullable(),
  verdicts_json: json(z.array(verdictSchema)),
  notes: z.string(),
  tags_json: json(z.array(z.string())),
  exclusion_json: json(exclusionSchema).nullable(),
  bases_json: json(z.record(z.string(), z.string())).nullable(),
  redefined_json: json(redefinedSchema).nullable().catch(null),
  // What no measurement gives is left out.
  metrics_json: json(z.record(z.string(), measure.nullable().catch(null))),
});

const brokenRunSchema = z.object({
  id: z.int(),
  experiment_id: z.int(),
  trial_number: ordinal.catch(1),
  block: ordinal.catch(1),
  treatment_key: z.string().catch(''),
});

/** Stands in for a Run that cannot be read: it failed, so that no figure counts it. */
function makeBrokenRun(input: unknown, reason: string): RunSummary {
  const row = brokenRunSchema.parse(input);
  return {
    id: row.id,
    experimentId: row.experiment_id,
    trialNumber: row.trial_number,
    block: row.block,
    treatmentKey: row.treatment_key,
    attempt: 1,
    retryOf: null,
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

const parseRuns = (rows: readonly unknown[]): RunSummary[] => readEach(rows, parseRun, makeBrokenRun);

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
    ...(row.redefined_json === null ? {} : { redefined: row.redefined_json }),
  };
}

/** Oldest first. */
export function listRunSummaries(database: Database, experimentId: number): RunSummary[] {
  return parseRuns(
    database.all(`SELECT ${columns} FROM runs WHERE experiment_id = :experimentId ORDER BY id`, {
      experimentId,
    }),
  );
}

/** A page of them, oldest first, behind a run: a thousand at once would keep others waiting. */
export function listRunPage(
  database: Database,
  experimentId: number,
  { after, limit }: { after: number; limit: number },
): RunSummary[] {
  return parseRuns(
    database.all(
      `SELECT ${columns} FROM runs WHERE experiment_id = :experimentId AND id > :after ORDER BY id LIMIT :limit`,
      { experimentId, after, limit },
    ),
  );
}

const stampRowSchema = z.object({
  id: z.int(),
  status: z.string(),
  finished_at: z.number().nullable(),
  flagged: z.int(),
  exclusion_json: z.string().nullable(),
});

/** A text that changes with every run that a report shows. */
export function stampOfRuns(database: Database, experimentId: number): string {
  const rows = database.all(
    `SELECT id, status, finished_at, flagged, exclusion_json FROM runs
     WHERE experiment_id = :experimentId ORDER BY id`,
    { experimentId },
  );
  return JSON.stringify(rows.map((row) => Object.values(stampRowSchema.parse(row))));
}

export function listUnsettledRuns(database: Database): RunSummary[] {
  return parseRuns(
    database.all(
      `SELECT ${columns} FROM runs
       WHERE status IN ('planned', 'preparing', 'running', 'collecting') ORDER BY id`,
    ),
  );
}

export function findRunSummary(database: Database, id: number): RunSummary | null {
  const row = database.get(`SELECT ${columns} FROM runs WHERE id = :id`, { id });
  return row ? (parseRuns([row])[0] ?? null) : null;
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
