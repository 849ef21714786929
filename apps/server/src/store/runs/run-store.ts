import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import { type LogLine, logLineSchema, type RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import {
  exclusionSchema,
  failureSchema,
  type Redefined,
  type RunSummary,
  redefinedSchema,
} from '@mqttlab/shared/domain/runs/run';
import { isSettled, runStatuses } from '@mqttlab/shared/domain/runs/statuses';
import { type Verdict, verdictSchema } from '@mqttlab/shared/domain/runs/verdict';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { makePlanCache } from '../experiments/experiment-list.ts';
import { bindTo, countOf, defineTable, flag, json, type RowOf, type StoreOptions } from '../table.ts';
import {
  countSimilarRuns,
  listLastAttempts,
  readExperimentValues,
  readRunMetrics,
  readSimilarValues,
} from './metric-values.ts';
import { markCounting, medianOverheadMs, recount } from './progress.ts';
import {
  readEnvironments,
  readLatencyHistograms,
  readRunDevices,
  readStoredResults,
  saveRoleResult,
  saveRunDevices,
} from './run-results.ts';
import {
  countRemovedSeries,
  countRunsByStatus,
  countSettling,
  findExperimentOfRun,
  findLastResultAt,
  findRun,
  findRunDetail,
  findRunTimes,
  listCountingIds,
  listLatestRuns,
  listNewestRuns,
  listRunPage,
  listRuns,
  listUnsettledRuns,
} from './run-rows.ts';
import {
  type DeviceReadings,
  readMeterRunTimes,
  readMetricSeries,
  saveMeterReadings,
  withMeters,
} from './run-series.ts';

interface NewRun {
  experimentId: number;
  trialNumber: number;
  block: number;
  treatmentKey: string;
  attempt: number;
  retryOf: number | null;
}

/** Columns that can change after a run was created. */
const changes = defineTable('runs', {
  status: z.enum(runStatuses),
  startedAt: z.number(),
  finishedAt: z.number(),
  measuredAt: z.number(),
  overheadMs: z.number(),
  failure: json(failureSchema).nullable(),
  notes: z.string(),
  tags: json(z.array(z.string())),
  exclusion: json(exclusionSchema).nullable(),
  verdicts: json(z.array(verdictSchema)),
  flagged: flag,
  bases: json(z.record(z.string(), z.string())),
  definitions: z.int(),
  redefined: json(redefinedSchema),
  seriesRemovedAt: z.number(),
});

type RunChange = Partial<
  Omit<RowOf<typeof changes>, 'verdicts' | 'flagged' | 'bases' | 'definitions' | 'redefined'>
>;

interface ComputedSummary {
  verdicts: Verdict[];
  metrics: Record<string, number | null>;
  /** Basis of the figures in each group. */
  bases?: Record<string, string>;
  /** Version of the definitions with which the figures were computed (default: the current version). */
  definitions?: number;
}

export type RunStore = ReturnType<typeof makeRunStore>;

/** SQL for complete evidence: without series, some figures could not be recomputed. */
const hasEvidence =
  '(series_removed_at IS NULL AND EXISTS (SELECT 1 FROM run_results WHERE run_id = runs.id))';
/** Number of log lines between two checks for old lines. */
const pruneEvery = 500;

/**
 * Stores runs and their data in SQLite. Every write is one transaction and throws StorageError if it fails.
 */
export function makeRunStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const plans = makePlanCache(database);
  let appended = 0;

  return {
    ...bindTo(database, {
      findRun,
      findExperimentOfRun,
      listRuns,
      listNewestRuns,
      listLatestRuns,
      eachRun,
      listCountingIds,
      listAllRuns,
      countRemovedSeries,
      listLastAttempts,
      readRunMetrics,
      listUnsettledRuns,
      countRunsByStatus,
      findRunTimes,
      beginSettling: countSettling,
      findLastResultAt,
      saveRunDevices,
      readRunDevices,
      readStoredResults,
      readLatencyHistograms,
      readEnvironments,
      readMeterRunTimes,
      readExperimentValues,
      readSimilarValues,
      countSimilarRuns,
      listRecentLogLines,
      listRunLogLines,
      readExperimentLog,
      medianOverheadMs,
    }),

    createRun({ experimentId, trialNumber, block, treatmentKey, attempt, retryOf }: NewRun): RunSummary {
      return database.transaction(() => {
        const { id } = database.run(
          `INSERT INTO runs (experiment_id, testbed_id, trial_number, block, treatment_key, attempt, retry_of, status)
           SELECT id, testbed_id, :trialNumber, :block, :treatmentKey, :attempt, :retryOf, 'planned'
           FROM experiments WHERE id = :experimentId`,
          { experimentId, trialNumber, block, treatmentKey, attempt, retryOf },
        );
        markCounting(database, { experimentId, trialNumber });
        recount(database, experimentId);
        return required(findRun(database, id), id);
      });
    },

    /** Returns all data for the page of a run; null if there is no such run. */
    findRunDetail: (id: number) => findRunDetail(database, id, plans.find),

    updateRun(id: number, change: RunChange): void {
      database.transaction(() => {
        const run = required(findRun(database, id), id);
        changes(database).update({ id }, change);
        if (change.status === undefined || change.status === run.status) return;
        markCounting(database, run);
        recount(database, run.experimentId);
      });
    },

    /**
     * Stores a result in one transaction. Returns false if this role's result is already stored; nothing is
     * overwritten.
     */
    saveResult: (runId: number, deviceId: string, result: RoleResult): boolean =>
      saveRoleResult(database, { runId, deviceId, result, receivedAt: now() }),
    listRoleResults: (runId: number) => readStoredResults(database, runId).map(({ result }) => result),
    /** Returns one metric of one role for these runs, directly from the column blocks. */
    readSeries: (runIds: readonly number[], which: { metric: string; role: string }) =>
      withMeters(database, { runIds, which }, readMetricSeries(database, runIds, which)),
    /** Stores the uploaded readings of a meter for this device. Replaces an earlier file. */
    saveMeter: (meter: DeviceReadings) => saveMeterReadings(database, meter, now()),

    /** Stores the verdicts, flag and metrics that were computed from the stored results. */
    saveRunSummary(
      runId: number,
      { verdicts, metrics, bases = {}, definitions = definitionsVersion }: ComputedSummary,
    ): void {
      database.transaction(() => {
        const run = required(findRun(database, runId), runId);
        const flagged = verdicts.some(({ status }) => status === 'failed');
        changes(database).update({ id: runId }, { verdicts, flagged, bases, definitions });
        database.run('DELETE FROM run_metrics WHERE run_id = :runId', { runId });
        for (const [metric, value] of Object.entries(metrics)) {
          database.run('INSERT INTO run_metrics (run_id, metric, value) VALUES (:runId, :metric, :value)', {
            runId,
            metric,
            value: value !== null && Number.isFinite(value) ? value : null,
          });
        }
        if (!isSettled(run.status)) return;
        markCounting(database, run);
        recount(database, run.experimentId);
      });
    },

    /**
     * Returns done runs with evidence, after a given run, whose figures were computed with older definitions;
     * oldest first.
     */
    listRunsOfEarlierDefinitions: (
      version: number,
      { after, limit }: { after: number; limit: number },
    ): number[] =>
      database.column(
        `SELECT id FROM runs WHERE definitions < :version AND status = 'done' AND id > :after AND ${hasEvidence}
           ORDER BY id LIMIT :limit`,
        { version, after, limit },
      ),
    /**
     * Returns the oldest definitions among the done runs in an experiment; the current version without such
     * runs.
     */
    findEarliestDefinitions(experimentId: number): number {
      const [earliest] = database.column<number | null>(
        `SELECT min(definitions) FROM runs WHERE experiment_id = :experimentId AND status = 'done'`,
        { experimentId },
      );
      return earliest ?? definitionsVersion;
    },
    /** Marks runs without evidence, which keep their figures because they cannot be recomputed. */
    markRunsWithoutEvidence(version: number): void {
      database.run(
        `UPDATE runs SET definitions = :version WHERE definitions < :version AND status = 'done' AND NOT ${hasEvidence}`,
        { version },
      );
    },
    saveDefinitions(id: number, definitions: number): void {
      changes(database).update({ id }, { definitions });
    },
    noteRedefined(id: number, redefined: Redefined): void {
      changes(database).update({ id }, { redefined });
    },

    appendLog(entry: StoredLogLine): void {
      appendLogLine(database, entry);
      appended += 1;
      if (appended % pruneEvery === 1) pruneLogLines(database);
    },
  };
}

const runsAtOnce = 8;

/** Yields every run in an experiment, oldest first, in pages; other work can run in between. */
async function* eachRun(database: Database, experimentId: number): AsyncGenerator<RunSummary> {
  for (let after = 0; ; ) {
    const page = listRunPage(database, experimentId, { after, limit: runsAtOnce });
    yield* page;
    after = page.at(-1)?.id ?? after;
    if (page.length < runsAtOnce) return;
    await yieldToEventLoop();
  }
}

/** Returns every run in an experiment as one array. */
async function listAllRuns(database: Database, experimentId: number): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  for await (const run of eachRun(database, experimentId)) runs.push(run);
  return runs;
}

function required<T>(value: T | null, id: number): T {
  if (value === null) throw new RangeError(`there is no run ${id}`);
  return value;
}

interface StoredLogLine {
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

/** Maximum number of stored lines, in total and without an experiment. */
interface LogRetention {
  all: number;
  alone: number;
}

const usualRetention: LogRetention = { all: 100_000, alone: 10_000 };
/**
 * Maximum number of deletions at a time, because a database from before the limit may contain millions of
 * lines.
 */
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
export function listRecentLogLines(database: Database, limit: number): StoredLogLine[] {
  return logLines(database).list('ORDER BY id DESC LIMIT :limit', { limit }).map(toStored).reverse();
}

interface LogPage {
  /** Lines, newest first, with the number to continue from. */
  lines: (StoredLogLine & { id: number })[];
  /** Number of all lines. */
  total: number;
}

/**
 * Returns lines about an experiment and its runs that are older than `before`; null starts with the newest.
 */
export function readExperimentLog(
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
function listRunLogLines(database: Database, runId: number): StoredLogLine[] {
  return logLines(database).list('WHERE run_id = :runId ORDER BY id', { runId }).map(toStored);
}
