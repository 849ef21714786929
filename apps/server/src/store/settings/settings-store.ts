import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Authorship, authorshipSchema } from '@mqttlab/shared/domain/authorship';
import type { UnknownSigner } from '@mqttlab/shared/messages/signers';
import {
  overBudgetWords,
  type StorageSettings,
  type StorageUsage,
  storageSettingsSchema,
} from '@mqttlab/shared/messages/storage';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { dropLogOfResults } from '../runs/run-results.ts';
import { countOf, defineTable, flag, type RowOf, type StoreOptions } from '../table.ts';

const dayMs = 86_400_000;
const runsAtOnce = 10;
const listed = 10;
/** Maximum size of a database that is checked while requests wait; the check takes less than a second. */
const checkedBytes = 32 * 1024 * 1024;

const settingsTable = defineTable('storage_settings', storageSettingsSchema.shape);
type Sizes = Record<'id' | 'series' | 'results' | 'logs' | 'files', number>;

const storedExperiments = defineTable('experiments', { name: z.string(), keepEverything: flag });

/** SQL that reads series next to results of the same run, so that each read is contiguous. */
const sizesOfRuns = `SELECT experiment_id AS id,
    sum((SELECT coalesce(sum(length(values_block) + coalesce(length(times_block), 0)), 0)
      FROM run_series WHERE run_id = runs.id)) AS series,
    sum((SELECT coalesce(sum(length(body_packed) + coalesce(length(latency_packed), 0)
      + coalesce(length(lateness_packed), 0)), 0) FROM run_results WHERE run_id = runs.id)) AS results,
    sum((SELECT coalesce(sum(length(text)), 0) FROM log_lines WHERE run_id = runs.id)) AS logs,
    sum((SELECT coalesce(sum(length(bytes)), 0) FROM run_files WHERE run_id = runs.id)) AS files
  FROM runs WHERE id > :after AND id <= :upTo GROUP BY experiment_id`;

export type StorageStore = ReturnType<typeof makeStorageStore>;

/** Stores retention settings and measures disk usage. */
export function makeStorageStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const settings = (): StorageSettings => readStorageSettings(database);
  return {
    readStorageSettings: settings,
    saveStorageSettings(values: StorageSettings): StorageSettings {
      settingsTable(database).update({ id: 1 }, values);
      return settings();
    },
    usedBytes: database.sizeBytes,
    overBudget: () => overBudgetWords(database.sizeBytes(), settings().budgetBytes),

    /**
     * Removes series and logs of the run that is due first. Returns its experiment, or null if no run is due.
     */
    removeDueSeries(): number | null {
      const { retentionDays } = settings();
      if (retentionDays === null) return null;
      const due = database.get<{ id: number; experimentId: number }>(
        `SELECT runs.id, experiment_id AS experimentId FROM runs JOIN experiments ON experiments.id = experiment_id
         WHERE runs.status = 'done' AND series_removed_at IS NULL AND runs.finished_at < :before
           AND keep_everything = 0 AND experiments.status IN ('done', 'failed', 'cancelled')
         ORDER BY runs.finished_at LIMIT 1`,
        { before: now() - retentionDays * dayMs },
      );
      if (due === undefined) return null;
      const { id, experimentId } = due;
      database.transaction(() => {
        database.run('DELETE FROM run_series WHERE run_id = :id', { id });
        database.run('DELETE FROM run_files WHERE run_id = :id', { id });
        database.run('DELETE FROM log_lines WHERE run_id = :id', { id });
        dropLogOfResults(database, id);
        database.run('UPDATE runs SET series_removed_at = :at WHERE id = :id', { id, at: now() });
      });
      return experimentId;
    },

    schemaVersion: () => countOf(database, 'SELECT user_version AS count FROM pragma_user_version()'),
    async countRows(): Promise<Record<string, number>> {
      const counts: Record<string, number> = {};
      const tables = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`;
      for (const name of database.column<string>(tables)) {
        counts[name] = countOf(database, `SELECT count(*) AS count FROM "${name}"`);
        await yieldToEventLoop();
      }
      return counts;
    },
    /** Returns the result of SQLite's check of the file: "ok", or the error. */
    checkIntegrity(): string {
      if (database.sizeBytes() > checkedBytes) return 'too large to check; "mqttlab backup" checks its copy';
      return database.column('PRAGMA quick_check(1)').join();
    },

    /** Measures disk usage in steps, yielding to other work in between. */
    async measureUsage(): Promise<Omit<StorageUsage, 'freeBytes'>> {
      const total = { series: 0, results: 0, logs: 0, files: 0 };
      const byExperiment = new Map<number, number>();
      const last = countOf(database, 'SELECT coalesce(max(id), 0) AS count FROM runs');
      for (let after = 0; after < last; after += runsAtOnce) {
        const found = database.all<Sizes>(sizesOfRuns, { after, upTo: after + runsAtOnce });
        for (const { id, series, results, logs, files } of found) {
          total.series += series;
          total.results += results;
          total.logs += logs;
          total.files += files;
          byExperiment.set(id, (byExperiment.get(id) ?? 0) + series + results + logs + files);
        }
        await yieldToEventLoop();
      }
      const free = countOf(
        database,
        'SELECT freelist_count * page_size AS count FROM pragma_freelist_count(), pragma_page_size()',
      );
      const usedBytes = database.sizeBytes();
      const overBudget = overBudgetWords(usedBytes, settings().budgetBytes);
      return {
        settings: settings(),
        usedBytes,
        ...(overBudget === undefined ? {} : { overBudget }),
        parts: [
          { what: 'Series', bytes: total.series },
          { what: 'Evidence and distributions', bytes: total.results },
          { what: 'Logs of runs', bytes: total.logs },
          { what: 'Captures and key logs', bytes: total.files },
          { what: 'Free, reused by the next runs', bytes: free },
          {
            what: 'Plans, figures, links and indexes',
            bytes: Math.max(0, usedBytes - free - total.series - total.results - total.logs - total.files),
          },
        ],
        experiments: [...byExperiment]
          .sort(([, a], [, b]) => b - a)
          .slice(0, listed)
          .flatMap(([id, bytes]) => {
            const experiment = storedExperiments(database).find('WHERE id = :id', { id });
            return experiment ? [{ id, bytes, ...experiment }] : [];
          }),
        removedRuns: countOf(
          database,
          'SELECT count(*) AS count FROM runs WHERE series_removed_at IS NOT NULL',
        ),
      };
    },
  };
}

export function readStorageSettings(database: Database): StorageSettings {
  return settingsTable(database).find('WHERE id = 1') ?? { retentionDays: null, budgetBytes: null };
}

const authorshipTable = defineTable('authorship', { revision: z.int(), ...authorshipSchema.shape });

/** Stores the author, licence and funding that exports state. */
export function makeAuthorshipStore(database: Database) {
  const read = (): Authorship => readAuthorship(database).authorship;
  return {
    read,
    save(values: Authorship): Authorship {
      const { revision } = readAuthorship(database);
      authorshipTable(database).update({ id: 1 }, { ...values, revision: revision + 1 });
      return read();
    },
  };
}

/** Returns the authorship with a revision number that is different after every change. */
export function readAuthorship(database: Database): { authorship: Authorship; revision: number } {
  const row = authorshipTable(database).find('WHERE id = :id', { id: 1 });
  if (!row) throw new Error('the table authorship has no row');
  const { revision, ...authorship } = row;
  return { authorship, revision };
}

const signers = defineTable('trusted_signers', {
  id: z.int(),
  fingerprint: z.string(),
  name: z.string(),
  createdAt: z.number(),
});

type SignerRecord = RowOf<typeof signers>;
/** Stores signers of bundles that this server trusts. */
export function makeSignerStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const findKey = (fingerprint: string): SignerRecord | null =>
    signers(database).find('WHERE fingerprint = :fingerprint', { fingerprint });
  return {
    listSigners: () => signers(database).list('ORDER BY name, id'),
    /** Adds or renames a signer. */
    saveSigner({ fingerprint, name }: Pick<SignerRecord, 'fingerprint' | 'name'>): SignerRecord {
      const values = { fingerprint, name };
      signers(database).save({ key: 'fingerprint', values, once: { created_at: now() } });
      const saved = findKey(fingerprint);
      if (!saved) throw new Error(`signer ${fingerprint} disappeared while it was being written`);
      return saved;
    },
    findSigner: (id: number) => signers(database).find('WHERE id = :id', { id }),
    /** Returns untrusted keys that signed imported experiments, most recently used first. */
    listUnknownSigners: (): UnknownSigner[] =>
      database
        .all<{ fingerprint: string; experiments: number; id: number; name: string }>(
          `SELECT imported_json ->> '$.signer' AS fingerprint, count(*) AS experiments, max(id) AS id, name
           FROM experiments
           WHERE deleted_at IS NULL AND imported_json ->> '$.signer' IS NOT NULL
             AND imported_json ->> '$.signer' NOT IN (SELECT fingerprint FROM trusted_signers)
           GROUP BY imported_json ->> '$.signer' ORDER BY max(id) DESC`,
        )
        .map(({ id, name, ...signer }) => ({ ...signer, lastExperiment: { id, name } })),
    /** Removes a signer. Returns false if there is none. */
    removeSigner: (id: number) => signers(database).remove({ id }),
    findSignerName: (fingerprint: string) => findKey(fingerprint)?.name ?? null,
  };
}
