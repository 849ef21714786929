import { readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { StorageError } from './storage-error.ts';

/** A change of the schema. A released migration is never edited: databases that have applied it would differ. */
export interface Migration {
  /** Counted from 2: `schema.sql` is version 1. */
  version: number;
  sql: string;
}

/** Applied in this order after `schema.sql`. */
const migrations: readonly Migration[] = [];

/** "mqlb": identifies databases of mqttlab, so that those of other programs stay untouched. */
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
  const newest = all.at(-1)?.version ?? 1;
  if (state.application_id !== applicationId && (state.tables > 0 || state.user_version > 0)) {
    throw new StorageError('foreign', 'The database belongs to another program.', {
      remedy: 'Set MQTTLAB_DATA to another folder.',
    });
  }
  if (state.user_version > newest) {
    throw new StorageError(
      'too-new',
      `The database has version ${state.user_version}; this mqttlab supports versions up to ${newest}.`,
      { remedy: 'Start the newer mqttlab that wrote it, or set MQTTLAB_DATA to another folder.' },
    );
  }
  if (state.user_version === 0) apply(connection, { version: 1, sql: readSchema() });
  for (const migration of all) {
    if (migration.version > Math.max(state.user_version, 1)) apply(connection, migration);
  }
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

/** The build copies the file next to the bundle, so that the path is the same in both. */
function readSchema(): string {
  return readFileSync(new URL('./schema.sql', import.meta.url), 'utf8');
}
