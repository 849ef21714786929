import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { ExperimentDetail, ExperimentSummary, Headline } from '@mqttlab/shared/domain/runs/experiment';
import * as z from 'zod';
import type { ExperimentRecord, ExperimentStore } from '../../base/ports.ts';
import { leaveOut, readEach, readOrBroken } from '../broken-row.ts';
import type { Database, Params } from '../database.ts';
import { listRunSummaries } from '../runs/run-rows.ts';
import { timeLeftMs } from '../runs/time-left.ts';
import { storedRows } from '../stored-rows.ts';
import { changeColumns, draftColumns, planColumns } from './experiment-columns.ts';
import { activeStatuses, listExperiments, quoted } from './experiment-list.ts';
import {
  makeBrokenSummary,
  makeSummary,
  parseRecordRow,
  parseSummaryRow,
  type RecordRow,
  type SummaryRow,
  summaryColumns,
} from './experiment-rows.ts';
import { makePlanCache } from './plan-cache.ts';
import { purgeExperiment } from './purge-experiment.ts';
import { readPlan } from './read-plan.ts';

export interface SqlExperimentStore extends ExperimentStore {
  /** The main contrast for lists; null where it cannot be computed. */
  saveHeadline(id: number, headline: Headline | null): void;
  /** Everything stored of it, a line of JSON for each row, whether it can be read or not. */
  storedRows(id: number): AsyncGenerator<string>;
  /** Says for ever that it was run elsewhere. */
  markImported(id: number, imported: NonNullable<ExperimentSummary['imported']>): void;
  /** Says that its runs are still coming; it is nothing yet. */
  markUnfinishedImport(id: number): void;
  /** Those marked so. */
  unfinishedImports(): number[];
  /** Removes it with everything of it, for good. */
  purge(id: number): void;
}

export interface StoreOptions {
  /** Unix ms. */
  now?: () => number;
}

/** Stands where later is said where it came from. */
const unfinishedMark = 'a bundle that is still being read';

/** Experiments in SQLite. Every write throws StorageError when the disk does not take it. */
export function makeExperimentStore(database: Database, options: StoreOptions = {}): SqlExperimentStore {
  const now = options.now ?? Date.now;
  const plans = makePlanCache((id) => readPlan(database, id));

  const summaryOf = (row: SummaryRow): ExperimentSummary => {
    const left = timeLeftMs(database, row, { planOf: plans.find, now: now() });
    return makeSummary(row, left);
  };
  const summariesOf = (rows: readonly unknown[]): ExperimentSummary[] =>
    readEach(rows, (row) => summaryOf(parseSummaryRow(row)), makeBrokenSummary);
  const readRow = (id: number): RecordRow | null => {
    const row = database.get(`SELECT ${summaryColumns}, draft_json FROM experiments WHERE id = :id`, { id });
    return row ? readOrBroken(`experiment ${id}`, () => parseRecordRow(row)) : null;
  };
  const recordOf = (row: RecordRow): ExperimentRecord =>
    makeRecord(
      row,
      readOrBroken(`experiment ${row.id}`, () => plans.find(row.id)),
    );

  return {
    create(draft) {
      return database.transaction(() => {
        const columns = { ...draftColumns(draft), status: 'draft', created_at: now(), updated_at: now() };
        const names = Object.keys(columns);
        const { id } = database.run(
          `INSERT INTO experiments (${names.join(', ')}) VALUES (${names.map((name) => `:${name}`).join(', ')})`,
          columns,
        );
        saveTags(database, id, draft.tags);
        const row = readRow(id);
        if (!row) throw new Error(`experiment ${id} vanished while it was written`);
        return recordOf(row);
      });
    },

    find(id) {
      const row = readRow(id);
      return row ? recordOf(row) : null;
    },

    listActive() {
      const rows = database.all(
        `SELECT ${summaryColumns}, draft_json FROM experiments
         WHERE deleted_at IS NULL AND status IN (${quoted(activeStatuses)}) ORDER BY queued_at, id`,
      );
      // One that cannot be read is not run, and must not keep the others from it.
      return readEach(rows, (row) => recordOf(parseRecordRow(row)), leaveOut);
    },

    saveDraft(id, draft) {
      database.transaction(() => {
        writeColumns(database, id, { ...draftColumns(draft), updated_at: now() });
        saveTags(database, id, draft.tags);
      });
    },

    savePlan(id, plan) {
      writeColumns(database, id, { ...planColumns(plan), updated_at: now() });
      plans.forget(id);
    },

    update(id, change) {
      database.transaction(() => {
        writeColumns(database, id, { ...changeColumns(change), updated_at: now() });
        if (change.tags) saveTags(database, id, change.tags);
      });
    },

    saveHeadline(id, headline) {
      writeColumns(database, id, { headline_json: headline ? JSON.stringify(headline) : null });
    },

    markImported(id, imported) {
      writeColumns(database, id, { imported_json: JSON.stringify(imported) });
    },

    storedRows: (id) => storedRows(database, id),

    markUnfinishedImport(id) {
      const imported: NonNullable<ExperimentSummary['imported']> = { from: unfinishedMark, at: now() };
      writeColumns(database, id, { imported_json: JSON.stringify(imported) });
    },

    unfinishedImports() {
      const rows = database.all(
        `SELECT id FROM experiments WHERE deleted_at IS NOT NULL AND imported_json ->> '$.from' = :mark`,
        { mark: unfinishedMark },
      );
      return rows.map((row) => z.object({ id: z.int() }).parse(row).id);
    },

    purge(id) {
      purgeExperiment(database, id);
      plans.forget(id);
    },

    summary(id) {
      const row = database.get(`SELECT ${summaryColumns} FROM experiments WHERE id = :id`, { id });
      return row ? (summariesOf([row])[0] ?? null) : null;
    },

    detail(id, read): ExperimentDetail | null {
      const row = readRow(id);
      if (!row) return null;
      const record = recordOf(row);
      const runs = read ?? listRunSummaries(database, id);
      const busy = ['preparing', 'running', 'collecting'];
      return {
        ...summaryOf(row),
        draft: record.draft,
        plan: record.plan,
        runs,
        currentRunId: runs.findLast((run) => busy.includes(run.status))?.id ?? null,
        queuePosition: queuePosition(database, row),
      };
    },

    list(query) {
      const { rows, rest } = listExperiments(database, query);
      return { items: summariesOf(rows), ...rest };
    },
  };
}

function makeRecord(row: RecordRow, plan: Plan | null): ExperimentRecord {
  const { name, notes, tags_json: tags } = row;
  return {
    id: row.id,
    status: row.status,
    name,
    tags,
    notes,
    draft: { ...row.draft_json, name, notes, tags },
    plan,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    queuedAt: row.queued_at,
    deletedAt: row.deleted_at,
    imported: row.imported_json,
  };
}

function writeColumns(database: Database, id: number, columns: Params): void {
  const assignments = Object.keys(columns).map((name) => `${name} = :${name}`);
  const { changes } = database.run(`UPDATE experiments SET ${assignments.join(', ')} WHERE id = :id`, {
    ...columns,
    id,
  });
  if (changes === 0) throw new RangeError(`there is no experiment ${id}`);
}

function saveTags(database: Database, id: number, tags: readonly string[]): void {
  database.run('DELETE FROM experiment_tags WHERE experiment_id = :id', { id });
  for (const tag of new Set(tags)) {
    database.run('INSERT INTO experiment_tags (experiment_id, tag) VALUES (:id, :tag)', { id, tag });
  }
}

function queuePosition(database: Database, row: SummaryRow): number | null {
  if (row.status !== 'queued') return null;
  const ahead = database.get(
    `SELECT count(*) AS count FROM experiments
     WHERE testbed_id = :testbedId AND deleted_at IS NULL AND id <> :id
       AND (status IN ('running', 'pausing', 'stopping') OR (status = 'queued' AND queued_at < :queuedAt))`,
    { testbedId: row.testbed_id, id: row.id, queuedAt: row.queued_at ?? 0 },
  );
  return z.object({ count: z.int() }).parse(ahead).count;
}
