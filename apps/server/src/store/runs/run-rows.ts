import { estimateValues } from '@mqttlab/shared/analysis/estimate';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { instantMs, measure, ordinal, sentence } from '@mqttlab/shared/domain/bounds';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { importedSchema } from '@mqttlab/shared/domain/runs/experiment';
import { marksOf } from '@mqttlab/shared/domain/runs/import-marks';
import {
  exclusionSchema,
  failureSchema,
  type RunDetail,
  type RunRow,
  type RunSummary,
  redefinedSchema,
  runRowOf,
} from '@mqttlab/shared/domain/runs/run';
import { runStatuses } from '@mqttlab/shared/domain/runs/statuses';
import { verdictSchema } from '@mqttlab/shared/domain/runs/verdict';
import * as z from 'zod';
import type { Database, Params } from '../database.ts';
import {
  defineRow,
  defineTable,
  flag,
  json,
  leaveOut,
  type RowOf,
  readEach,
  readOrBroken,
} from '../table.ts';
import { listRunFiles } from './run-file-store.ts';
import { readStoredResults } from './run-results.ts';

/** Columns in every row of a run. */
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

/** Returns the summary of an unreadable run: failed, so that no figure includes it. */
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
      message: `The stored data of this run cannot be read: ${reason}.`,
      remedy: 'Export its experiment as stored; the other runs are not affected.',
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
export function listRuns(database: Database, experimentId: number): RunSummary[] {
  return select(database, 'WHERE experiment_id = :experimentId ORDER BY id', { experimentId });
}

/**
 * Returns a page of the runs after a given run, oldest first. A thousand at once would block other requests.
 */
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
    // Unflagged runs have no failed verdict, so their verdicts are not parsed.
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

/** Returns a page of the rows in an experiment after a given run, oldest first. */
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

/**
 * Number of an experiment's newest runs that `listLatestRuns` reads: at least two blocks of 100 treatments.
 */
const latestRuns = 200;

/** Returns the newest done run of each treatment that counts and is not excluded by a user; newest first. */
export function listLatestRuns(
  database: Database,
  experimentId: number,
  metrics: readonly string[],
): RunRow[] {
  const found = database.all(
    `SELECT ${rows.columns} FROM runs WHERE id IN (
       SELECT max(id) FROM (
         SELECT id, treatment_key, status, superseded, exclusion_json FROM runs
         WHERE experiment_id = :experimentId ORDER BY id DESC LIMIT :latestRuns
       ) WHERE status = 'done' AND superseded = 0 AND exclusion_json IS NULL GROUP BY treatment_key
     ) ORDER BY id DESC`,
    { experimentId, latestRuns, metrics: JSON.stringify(metrics) },
  );
  return readEach(found, parseRow, leaveOut);
}

/** Counts done runs and those whose series were removed by retention, and returns the first of the latter. */
export function countRemovedSeries(
  database: Database,
  experimentId: number,
): { done: number; removed: number; firstRemoved: number | null } {
  const found = database.get<{ done: number; removed: number; firstRemoved: number | null }>(
    `SELECT count(*) AS done, count(series_removed_at) AS removed,
       min(CASE WHEN series_removed_at IS NOT NULL THEN id END) AS firstRemoved
     FROM runs WHERE experiment_id = :experimentId AND status = 'done'`,
    { experimentId },
  );
  return found ?? { done: 0, removed: 0, firstRemoved: null };
}

/** Returns the newest active run; null if there is none. */
export function findCurrentRun(database: Database, experimentId: number): number | null {
  const [id] = database.column<number | null>(
    `SELECT max(id) FROM runs
     WHERE experiment_id = :experimentId AND status IN ('preparing', 'running', 'collecting')`,
    { experimentId },
  );
  return id ?? null;
}

/** Returns a page of the runs before a given run, newest first. */
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

/** Returns the counting attempts, one per trial. */
export function listCountingIds(database: Database, experimentId: number): Set<number> {
  const sql = 'SELECT id FROM runs WHERE experiment_id = :experimentId AND superseded = 0';
  return new Set(database.column<number>(sql, { experimentId }));
}

/** Returns the experiment of a run; null if there is no such run. */
export function findExperimentOfRun(database: Database, id: number): number | null {
  return database.column<number>('SELECT experiment_id FROM runs WHERE id = :id', { id })[0] ?? null;
}

export function listUnsettledRuns(database: Database): RunSummary[] {
  return select(database, "WHERE status IN ('planned', 'preparing', 'running', 'collecting') ORDER BY id");
}

export function findRun(database: Database, id: number): RunSummary | null {
  return select(database, 'WHERE id = :id', { id })[0] ?? null;
}

/** Counts runs by status, including statuses that no run has. */
export function countRunsByStatus(database: Database): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(runStatuses.map((status) => [status, 0]));
  const sql = 'SELECT status, count(*) AS count FROM runs GROUP BY status';
  for (const { status, count } of database.all<{ status: string; count: number }>(sql))
    counts[status] = count;
  return counts;
}

const times = defineTable('runs', { measuredAt: z.number().nullable(), overheadMs: z.number().nullable() });

/**
 * Returns the start of the measure phase and the overhead of a run; null if unknown. Throws RangeError if
 * there is no such run.
 */
export function findRunTimes(database: Database, id: number): RowOf<typeof times> {
  const found = times(database).find('WHERE id = :id', { id });
  if (!found) throw new RangeError(`there is no run ${id}`);
  return found;
}

/**
 * Counts an attempt to finalise the run and returns the number of attempts. Throws RangeError if there is no
 * such run.
 */
export function countSettling(database: Database, id: number): number {
  const [tries] = database.column<number>(
    'UPDATE runs SET settle_tries = settle_tries + 1 WHERE id = :id RETURNING settle_tries',
    { id },
  );
  if (tries === undefined) throw new RangeError(`there is no run ${id}`);
  return tries;
}

/** Returns when the run's last result arrived, in Unix ms; null without results. */
export function findLastResultAt(database: Database, id: number): number | null {
  const sql = 'SELECT max(received_at) FROM run_results WHERE run_id = :id';
  return database.column<number | null>(sql, { id })[0] ?? null;
}

const contextRow = defineRow(
  {
    experimentName: z.string(),
    trialCount: z.int(),
    measuredAt: z.number().nullable(),
    overheadMs: z.number().nullable(),
    previousRunId: z.int().nullable(),
    nextRunId: z.int().nullable(),
    imported: json(importedSchema).nullable(),
  },
  {
    experimentName: 'name',
    imported: 'imported_json',
    trialCount: 'trials',
    previousRunId: '(SELECT max(id) FROM runs WHERE experiment_id = run.experiment_id AND id < run.id)',
    nextRunId: '(SELECT min(id) FROM runs WHERE experiment_id = run.experiment_id AND id > run.id)',
  },
);

/** Returns a run with all data for its page; null if there is no such run. */
export function findRunDetail(
  database: Database,
  id: number,
  planOf: (experimentId: number) => Plan | null,
): RunDetail | null {
  return readOrBroken(`run ${id}`, () => readRunDetail(database, id, planOf));
}

function readRunDetail(
  database: Database,
  id: number,
  planOf: (experimentId: number) => Plan | null,
): RunDetail | null {
  const run = findRun(database, id);
  if (!run) return null;
  const treatment = planOf(run.experimentId)?.treatments.find(({ key }) => key === run.treatmentKey);
  if (!treatment) throw new RangeError(`the plan of run ${id} has no treatment ${run.treatmentKey}`);
  const context = database.get(
    `SELECT ${contextRow.columns}
     FROM runs AS run JOIN experiments ON experiments.id = run.experiment_id WHERE run.id = :id`,
    { id },
  );
  const { imported, ...about } = contextRow.parse(context);
  return {
    ...run,
    ...about,
    ...marksOf(imported),
    treatment,
    results: readStoredResults(database, id).map(({ result }) => result),
    devices: devicesOf(database, id),
    files: listRunFiles(database, id),
    siblings: siblingsOf(database, id),
  };
}

/** Returns device names by role; a removed device is named by its id. */
function devicesOf(database: Database, runId: number): RunDetail['devices'] {
  const rows = database.all<{ role: string; names: string }>(
    `SELECT result.role, group_concat(coalesce(devices.name, result.device_id), ', ') AS names
     FROM run_results AS result LEFT JOIN devices ON devices.id = result.device_id
     WHERE run_id = :runId GROUP BY result.role`,
    { runId },
  );
  return Object.fromEntries(rows.map(({ role, names }) => [role, names]));
}

const siblingRow = defineRow({ metric: z.string(), numbers: json(z.array(z.number())) });

/** Returns the means of the other valid runs of the same treatment that count. */
function siblingsOf(database: Database, runId: number): RunDetail['siblings'] {
  // One row per metric is read, because one row per value takes longer than the rest of a run.
  const rows = database.all(
    `SELECT metric, json_group_array(value) AS numbers FROM runs AS run
     JOIN runs AS other ON other.experiment_id = run.experiment_id AND other.treatment_key = run.treatment_key
       AND other.id <> run.id AND other.superseded = 0 AND other.status = 'done' AND other.flagged = 0
       AND other.exclusion_json IS NULL AND other.bases_json IS run.bases_json
     JOIN run_metrics ON run_metrics.run_id = other.id
     WHERE run.id = :runId AND value IS NOT NULL GROUP BY metric`,
    { runId },
  );
  return Object.fromEntries(
    rows.map(siblingRow.parse).flatMap(({ metric, numbers }) => {
      const { n, value } = estimateValues(numbers, findMetric(metric) ?? { quantity: 'signed', unit: '' });
      return value === null ? [] : [[metric, { mean: value, runs: n }]];
    }),
  );
}
