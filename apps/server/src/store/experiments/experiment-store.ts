import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { type Authorship, isStated } from '@mqttlab/shared/domain/authorship';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan, Trial } from '@mqttlab/shared/domain/plans/plan';
import type { ExperimentDetail, ExperimentSummary, Headline } from '@mqttlab/shared/domain/runs/experiment';
import { rowMetricsOf } from '@mqttlab/shared/domain/runs/run';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import { rowsPerPage } from '@mqttlab/shared/messages/api/endpoint';
import type { ExperimentList, ExperimentListQuery } from '@mqttlab/shared/messages/http';
import { estimate } from '@mqttlab/shared/planning/estimate';
import { quantile } from '@mqttlab/shared/statistics/descriptive/summary';
import type { Database, Params } from '../database.ts';
import { medianOverheadMs } from '../runs/progress.ts';
import { findCurrentRun, listRunRows } from '../runs/run-rows.ts';
import { readAuthorship } from '../settings/settings-store.ts';
import { countOf, leaveOut, packJson, pageOf, readEach, readOrBroken, type StoreOptions } from '../table.ts';
import {
  activeStatuses,
  labelsOf,
  makeBrokenSummary,
  makePlanCache,
  makeSummary,
  queryExperiments,
  quoted,
  type RecordRow,
  records,
  rowOfDraft,
  type SummaryRow,
  summaries,
} from './experiment-list.ts';

export interface ExperimentRecord
  extends Pick<
    RecordRow,
    | 'id'
    | 'status'
    | 'name'
    | 'tags'
    | 'notes'
    | 'draft'
    | 'createdAt'
    | 'updatedAt'
    | 'startedAt'
    | 'finishedAt'
    | 'queuedAt'
    | 'deletedAt'
    | 'imported'
  > {
  plan: Plan | null;
}

interface TrialPage {
  items: Trial[];
  next?: number;
}

function trialPage(plan: Plan | null, { after, limit }: { after: number; limit: number }): TrialPage {
  const rest = (plan?.trials ?? []).filter(({ number }) => number > after);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return rest.length > limit && last ? { items, next: last.number } : { items };
}

type ExperimentChange = Partial<
  Pick<
    RecordRow,
    | 'status'
    | 'name'
    | 'tags'
    | 'notes'
    | 'startedAt'
    | 'startedBy'
    | 'finishedAt'
    | 'queuedAt'
    | 'deletedAt'
    | 'trials'
    | 'keepEverything'
  >
>;

export type ExperimentStore = ReturnType<typeof makeExperimentStore>;

/** Marks the source of an experiment whose import is not finished. */
const unfinishedMark = 'a bundle that is still being read';

/** Stores experiments in SQLite. Every write throws StorageError if it fails. */
export function makeExperimentStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const plans = makePlanCache(database);

  const summaryOf = (row: SummaryRow): ExperimentSummary =>
    makeSummary(row, timeLeftMs(database, row, { planOf: plans.find, now: now() }));
  const summariesOf = (rows: readonly unknown[]): ExperimentSummary[] =>
    readEach(rows, (row) => summaryOf(summaries.parse(row)), makeBrokenSummary);
  const readRow = (id: number): RecordRow | null =>
    readOrBroken(`experiment ${id}`, () => records(database).find('WHERE id = :id', { id }));
  const recordOf = (row: RecordRow): ExperimentRecord => {
    const { name, notes, tags } = row;
    const plan = readOrBroken(`experiment ${row.id}`, () => plans.find(row.id));
    return { ...row, draft: { ...row.draft, name, notes, tags }, plan };
  };
  const rowPage = (id: number, plan: Plan | null, { after, limit }: { after: number; limit: number }) =>
    pageOf(listRunRows(database, id, { after, limit: limit + 1, metrics: rowMetricsOf(plan) }), limit);
  const write = (id: number, change: Partial<RecordRow>, more?: Params): void => {
    if (!records(database).update({ id }, change, more)) throw new RangeError(`there is no experiment ${id}`);
    if (!change.tags) return;
    database.run('DELETE FROM experiment_tags WHERE experiment_id = :id', { id });
    for (const tag of new Set(change.tags)) {
      database.run('INSERT INTO experiment_tags (experiment_id, tag) VALUES (:id, :tag)', { id, tag });
    }
  };

  const create = (draft: ExperimentDraft): ExperimentRecord =>
    database.transaction(() => {
      const columns = rowOfDraft(draft);
      const id = records(database).insert({
        ...columns,
        status: 'draft',
        createdAt: now(),
        updatedAt: now(),
      });
      write(id, { tags: draft.tags });
      const row = readRow(id);
      if (!row) throw new Error(`experiment ${id} disappeared while it was being written`);
      return recordOf(row);
    });
  /** Stores a plan once, because it never changes. */
  const savePlan = (id: number, plan: Plan): void => {
    const { length: trials } = plan.trials;
    write(id, { varied: labelsOf(plan.varied), trials, updatedAt: now() }, { plan_packed: packJson(plan) });
    plans.forget(id);
  };
  const start = (id: number, { plan, startedBy }: { plan: Plan; startedBy: string | null }): void =>
    database.transaction(() => {
      savePlan(id, plan);
      write(id, { startedBy, status: 'queued', queuedAt: now(), finishedAt: null });
    });

  return {
    createExperiment: create,

    findExperiment(id: number): ExperimentRecord | null {
      const row = readRow(id);
      return row && recordOf(row);
    },

    /** Returns experiments that are queued, running, pausing, paused or stopping. */
    listActiveExperiments(): ExperimentRecord[] {
      const rows = database.all(
        `SELECT ${records.columns} FROM experiments
         WHERE deleted_at IS NULL AND status IN (${quoted(activeStatuses)}) ORDER BY queued_at, id`,
      );
      // An unreadable experiment is not run, and must not prevent other experiments from running.
      return readEach(rows, (row) => recordOf(records.parse(row)), leaveOut);
    },

    saveDraft(id: number, draft: ExperimentDraft): void {
      database.transaction(() => write(id, { ...rowOfDraft(draft), updatedAt: now() }));
    },

    savePlan,

    /** Stores the plan of a draft and queues the experiment, in one transaction. */
    queueExperiment: start,

    /** Creates an experiment that is queued immediately, in one transaction. Returns its id. */
    createQueuedExperiment: (draft: ExperimentDraft, how: Parameters<typeof start>[1]): number =>
      database.transaction(() => {
        const { id } = create(draft);
        start(id, how);
        return id;
      }),

    /**
     * Updates an experiment. `trials` is smaller than in the plan if a stopping rule ended the experiment
     * early.
     */
    updateExperiment(id: number, change: ExperimentChange): void {
      database.transaction(() => write(id, { ...change, updatedAt: now() }));
    },

    /** Stores the main contrast, for lists; null if it cannot be computed. */
    saveHeadline(id: number, headline: Headline | null): void {
      write(id, { headline });
    },

    /** Records that the experiment was run on another server. */
    markImported(id: number, imported: NonNullable<ExperimentSummary['imported']>): void {
      write(id, { imported });
    },

    /** Returns every stored row of an experiment as a line of JSON, readable or not. */
    readStoredRows: (id: number) => storedRows(database, id),

    /** Records that the runs in an import are not complete. */
    markUnfinishedImport(id: number): void {
      write(id, { imported: { from: unfinishedMark, at: now() } });
    },

    /** Returns experiments marked by `markUnfinishedImport`. */
    listUnfinishedImports(): number[] {
      return database.column(
        `SELECT id FROM experiments WHERE deleted_at IS NOT NULL AND imported_json ->> '$.from' = :mark`,
        { mark: unfinishedMark },
      );
    },

    /** Deletes an experiment with all its rows. */
    purgeExperiment(id: number): void {
      const ofRuns = 'run_id IN (SELECT id FROM runs WHERE experiment_id = :id)';
      database.transaction(() => {
        for (const table of ['run_files', 'run_series', 'run_metrics', 'run_results']) {
          database.run(`DELETE FROM ${table} WHERE ${ofRuns}`, { id });
        }
        database.run(`DELETE FROM log_lines WHERE experiment_id = :id OR ${ofRuns}`, { id });
        database.run('UPDATE runs SET retry_of = NULL WHERE experiment_id = :id', { id });
        database.run('DELETE FROM runs WHERE experiment_id = :id', { id });
        database.run('DELETE FROM experiment_tags WHERE experiment_id = :id', { id });
        database.run('DELETE FROM experiments WHERE id = :id', { id });
      });
      plans.forget(id);
    },

    /**
     * Returns the authorship that the bundle states for an import, otherwise that of this server; undefined
     * if nothing is stated.
     */
    findAuthorship({ imported }: Pick<ExperimentRecord, 'imported'>): Authorship | undefined {
      const found = imported ? imported.authorship : readAuthorship(database).authorship;
      return found && isStated(found) ? found : undefined;
    },

    findExperimentSummary(id: number): ExperimentSummary | null {
      const row = database.get(`SELECT ${summaries.columns} FROM experiments WHERE id = :id`, { id });
      return row ? (summariesOf([row])[0] ?? null) : null;
    },

    /** Returns an experiment with the first page of its trials and of its runs. */
    findExperimentDetail(id: number): ExperimentDetail | null {
      const row = readRow(id);
      if (!row) return null;
      const { draft, plan } = recordOf(row);
      const { items: runs, next } = rowPage(id, plan, { after: 0, limit: rowsPerPage });
      const trials = trialPage(plan, { after: 0, limit: rowsPerPage });
      return {
        ...summaryOf(row),
        draft,
        plan: plan && { ...plan, trials: trials.items },
        ...(trials.next === undefined ? {} : { nextTrials: trials.next }),
        runs,
        ...(next === undefined ? {} : { nextRuns: next }),
        currentRunId: findCurrentRun(database, id),
        queuePosition: queuePosition(database, row),
      };
    },

    /** Returns a page of its run rows after a given run, oldest first. */
    listExperimentRows(id: number, page: { after: number; limit: number }) {
      return rowPage(
        id,
        readOrBroken(`experiment ${id}`, () => plans.find(id)),
        page,
      );
    },

    /** Returns a page of the trials in its plan after a given trial. */
    listTrials: (id: number, page: { after: number; limit: number }): TrialPage =>
      trialPage(
        readOrBroken(`experiment ${id}`, () => plans.find(id)),
        page,
      ),

    /**
     * Returns a text that changes whenever these experiments, their runs or the author change, and whether
     * all are finished.
     */
    findRevision(ids: readonly number[]): { revision: string; isFinished: boolean } {
      const found = database.all<{ id: number; revision: number; status: string }>(
        'SELECT id, revision, status FROM experiments WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id',
        { ids: JSON.stringify(ids) },
      );
      const { revision: authored } = readAuthorship(database);
      const authorRevision = authored === 0 ? [] : [`author@${authored}`];
      return {
        // Included because reports state the author.
        revision: [...found.map(({ id, revision }) => `${id}@${revision}`), ...authorRevision].join(' '),
        isFinished: found.every(({ status }) => isFinished(status)),
      };
    },

    /**
     * Returns the newest experiments that were started on this server, newest first; `revision` changes with
     * their runs.
     */
    listNewestStarted: (limit: number) =>
      database.all<{ id: number; name: string; testbedId: string; revision: number }>(
        `SELECT id, name, testbed_id AS testbedId, revision FROM experiments
         WHERE deleted_at IS NULL AND imported_json IS NULL AND started_at IS NOT NULL ORDER BY id DESC LIMIT :limit`,
        { limit },
      ),

    listExperiments(query: ExperimentListQuery): ExperimentList {
      const { rows, rest } = queryExperiments(database, query);
      return { items: summariesOf(rows), ...rest };
    },
  };
}

function queuePosition(database: Database, row: SummaryRow): number | null {
  if (row.status !== 'queued') return null;
  return countOf(
    database,
    `SELECT count(*) AS count FROM experiments
     WHERE testbed_id = :testbedId AND deleted_at IS NULL AND id <> :id
       AND (status IN ('running', 'pausing', 'stopping') OR (status = 'queued' AND queued_at < :queuedAt))`,
    { testbedId: row.testbedId, id: row.id, queuedAt: row.queuedAt ?? 0 },
  );
}

const recentRuns = 50;

/**
 * Returns the time until the experiment ends, in ms. It is computed from the median duration of its runs or,
 * before the first run is done, from the plan and the overhead on its testbed. Returns null if nothing is
 * running.
 */
function timeLeftMs(
  database: Database,
  row: SummaryRow,
  context: { planOf(id: number): Plan | null; now: number },
): number | null {
  const ending = row.status === 'pausing' || row.status === 'stopping';
  if (row.status !== 'running' && !ending) return null;
  const runMs = medianRunMs(database, row.id) ?? plannedRunMs(database, row, context.planOf(row.id));
  if (runMs === null) return null;
  const { startedAt, again } = currentRuns(database, row.id);
  const elapsedMs = startedAt === null ? 0 : Math.min(context.now - startedAt, runMs);
  const open = row.trials - row.done - row.failed - row.cancelled + again;
  const runs = ending ? Math.min(row.running, open) : open;
  return Math.max(0, runs * runMs - elapsedMs);
}

function plannedRunMs(database: Database, row: SummaryRow, plan: Plan | null): number | null {
  return plan ? estimate(plan, medianOverheadMs(database, row.testbedId)).runMs : null;
}

function medianRunMs(database: Database, experimentId: number): number | null {
  const durations = database.column<number>(
    `SELECT finished_at - started_at FROM runs
     WHERE experiment_id = :experimentId AND status = 'done' AND finished_at IS NOT NULL AND started_at IS NOT NULL
     ORDER BY id DESC LIMIT ${recentRuns}`,
    { experimentId },
  );
  return quantile(durations, 0.5);
}

/**
 * Returns the start of the current run, and the number of unfinished runs in trials that already have a
 * flagged run.
 */
function currentRuns(database: Database, experimentId: number): { startedAt: number | null; again: number } {
  const found = database.get<{ startedAt: number | null; again: number }>(
    `SELECT max(started_at) FILTER (WHERE status <> 'planned') AS startedAt,
       count(*) FILTER (WHERE superseded = 1) AS again
     FROM runs WHERE experiment_id = :experimentId AND status IN ('planned', 'preparing', 'running', 'collecting')`,
    { experimentId },
  );
  return found ?? { startedAt: null, again: 0 };
}

const runsAtOnce = 40;

/** Yields every stored row of an experiment without a schema, so that unreadable rows can be exported. */
async function* storedRows(database: Database, experimentId: number): AsyncGenerator<string> {
  const runs = `SELECT * FROM runs WHERE experiment_id = :id AND id > :after ORDER BY id LIMIT ${runsAtOnce}`;
  const lineOf = (table: string) => (row: unknown) => `${JSON.stringify({ table, row: legible(row) })}\n`;
  yield* database
    .all('SELECT * FROM experiments WHERE id = :id', { id: experimentId })
    .map(lineOf('experiments'));
  for (let after = 0; ; ) {
    const page = database.all<{ id: number }>(runs, { id: experimentId, after });
    for (const row of page) {
      const { id } = row;
      yield lineOf('runs')(row);
      for (const table of ['run_metrics', 'run_results', 'run_series']) {
        yield* database.all(`SELECT * FROM ${table} WHERE run_id = :id`, { id }).map(lineOf(table));
      }
      after = id;
      await yieldToEventLoop();
    }
    if (page.length < runsAtOnce) return;
  }
}

function legible(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, legibleValue(value)]));
}

/** Converts packed JSON to text, other bytes to base64, and numbers without a JSON form to words. */
function legibleValue(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (!(value instanceof Uint8Array)) return value;
  try {
    return inflateSync(value, { maxOutputLength: 64 * 1024 * 1024 }).toString('utf8');
  } catch {
    return { base64: Buffer.from(value).toString('base64') };
  }
}
