import { readFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import * as z from 'zod';
import { StorageError, type StorageWatch, toStorageError } from './storage-error.ts';

export type Params = Record<string, SQLInputValue>;

/** One SQLite connection with cached prepared statements and named errors. */
export interface Database {
  /**
   * Returns all rows. The type `Row` is not checked: columns of STRICT tables have their types. JSON in a
   * column is checked by `defineRow`.
   */
  all<Row = unknown>(sql: string, params?: Params): Row[];
  get<Row = unknown>(sql: string, params?: Params): Row | undefined;
  /** Returns the first column of each row. */
  column<Value>(sql: string, params?: Params): Value[];
  /** Executes a statement. `id` is the row id of an INSERT. */
  run(sql: string, params?: Params): { changes: number; id: number };
  /** Runs `work` in a transaction, all or nothing; nested calls join the outer transaction. */
  transaction<T>(work: () => T): T;
  /**
   * Runs `work` in a transaction that is synced to disk on return, with all earlier writes. Use it for data
   * whose sender deletes its copy after the acknowledgement. Inside an outer transaction, it is synced with
   * that transaction.
   */
  syncedTransaction<T>(work: () => T): T;
  sizeBytes(): number;
  /** Path of the file; null for a database in memory, which no other connection can read. */
  readonly path: string | null;
  close(): void;
}

export interface OpenOptions {
  /** Maximum number of pages of 4096 bytes in the file, to simulate a full disk. */
  maximumPages?: number;
  /** Called before every write, and with the error from every failed write. */
  watch?: Pick<StorageWatch, 'beforeWrite' | 'note'>;
}

/**
 * Opens the database and migrates it to the current version. Throws StorageError if the file is from a newer
 * version or another program, is not writable, or is damaged.
 */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  return named(() => {
    const connection = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 5000 });
    try {
      connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;');
      migrate(connection);
      if (options.maximumPages) connection.exec(`PRAGMA max_page_count = ${options.maximumPages}`);
      return wrap(connection, path, options.watch);
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

/** Opens a second, read-only connection for another thread. Throws StorageError. */
export function openDatabaseToRead(path: string): Database {
  return named(() => {
    const connection = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    return wrap(connection, path, undefined);
  });
}

function named<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error);
  }
}

function wrap(connection: DatabaseSync, path: string, watch: OpenOptions['watch']): Database {
  const watched = <T>(work: () => T): T => {
    try {
      return named(work);
    } catch (error) {
      if (error instanceof StorageError) watch?.note(error);
      throw error;
    }
  };
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const cached = statements.get(sql);
    if (cached) return cached;
    const statement = connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const all = <Row>(sql: string, params: Params = {}) => watched(() => prepare(sql).all(params)) as Row[];
  return {
    all,
    get: <Row>(sql: string, params: Params = {}) =>
      watched(() => prepare(sql).get(params)) as Row | undefined,
    column: <Value>(sql: string, params?: Params) =>
      all<Record<string, Value>>(sql, params).flatMap((row) => Object.values(row).slice(0, 1)),
    run: (sql, params = {}) =>
      watched(() => {
        if (!connection.isTransaction) watch?.beforeWrite();
        const { changes, lastInsertRowid } = prepare(sql).run(params);
        return { changes: Number(changes), id: Number(lastInsertRowid) };
      }),
    transaction: (work) =>
      connection.isTransaction
        ? work()
        : watched(() => {
            watch?.beforeWrite();
            return inTransaction(connection, work);
          }),
    syncedTransaction: (work) =>
      connection.isTransaction
        ? work()
        : watched(() => {
            watch?.beforeWrite();
            return inSyncedTransaction(connection, work);
          }),
    sizeBytes: () => {
      const pages = connection.prepare('SELECT * FROM pragma_page_count(), pragma_page_size()').get();
      return Number(pages?.page_count ?? 0) * Number(pages?.page_size ?? 0);
    },
    path: path === ':memory:' ? null : path,
    close: () => {
      if (connection.isOpen) connection.close();
    },
  };
}

function inTransaction<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    // On some errors, such as a full disk, SQLite has already rolled back.
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Runs `work` in a synced transaction. With WAL, a commit is only synced under FULL, together with every
 * commit before it. Without a write there is no commit; a checkpoint then syncs the commits that a killed
 * server may have left unsynced (sqlite.org/wal.html).
 */
function inSyncedTransaction<T>(connection: DatabaseSync, work: () => T): T {
  const countChanges = () => connection.prepare('SELECT total_changes() AS count').get()?.count;
  const before = countChanges();
  connection.exec('PRAGMA synchronous = FULL');
  try {
    const result = inTransaction(connection, work);
    if (countChanges() === before) connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return result;
  } finally {
    connection.exec('PRAGMA synchronous = NORMAL');
  }
}

/**
 * A schema change. A released migration is never edited, because databases that have already applied it would
 * differ.
 */
export interface Migration {
  /** Schema version, from 2, because `schema.sql` is version 1. */
  version: number;
  sql: string;
}

/** Migrations, applied in this order after `schema.sql`. */
const migrations: readonly Migration[] = [];

/** Version of the database that this program writes. */
export const databaseVersion = newestOf(migrations);

/** "mqlb": identifies databases of mqttlab, so that the databases of other programs are not changed. */
const applicationId = 0x6d716c62;

const stateSchema = z.object({ application_id: z.int(), user_version: z.int(), tables: z.int() });

/**
 * Creates the tables of an empty database, then applies the missing migrations, each in its own transaction. Throws
 * StorageError if the database belongs to another program or to a newer mqttlab.
 */
export function migrate(connection: DatabaseSync, all: readonly Migration[] = migrations): void {
  const state = stateSchema.parse(
    connection
      .prepare(
        `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) AS tables
         FROM pragma_application_id(), pragma_user_version()`,
      )
      .get(),
  );
  const newest = newestOf(all);
  if (state.application_id !== applicationId && (state.tables > 0 || state.user_version > 0)) {
    throw new StorageError('foreign', 'The database belongs to another program.', {
      remedy: 'Set MQTTLAB_DATA to another folder.',
    });
  }
  if (state.user_version > newest) {
    throw new StorageError(
      'too-new',
      `The database has version ${state.user_version}; this version of mqttlab supports versions up to ${newest}.`,
      { remedy: 'Start the newer version of mqttlab that wrote it, or set MQTTLAB_DATA to another folder.' },
    );
  }
  if (state.user_version === 0) apply(connection, { version: 1, sql: readSchema() });
  for (const migration of all) {
    if (migration.version > Math.max(state.user_version, 1)) apply(connection, migration);
  }
}

function newestOf(all: readonly Migration[]): number {
  return all.at(-1)?.version ?? 1;
}

function apply(connection: DatabaseSync, { version, sql }: Migration): void {
  connection.exec('BEGIN IMMEDIATE');
  try {
    connection.exec(sql);
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version};`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Returns the schema. The build copies the file next to the bundle, so that its path is the same in source
 * and bundle.
 */
function readSchema(): string {
  return readFileSync(new URL('./schema.sql', import.meta.url), 'utf8');
}
