import { accessSync, chmodSync, constants, existsSync, mkdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../start-error.ts';
import { type Database, openDatabase } from './database.ts';
import { StorageError } from './storage-error.ts';

export interface DataFolder {
  path: string;
  database: Database;
  /** null where that cannot be told. */
  freeBytes(): Promise<number | null>;
  close(): void;
}

export function databasePath(folder: string): string {
  return join(folder, 'mqttlab.db');
}

/**
 * Makes the folder where it is missing, keeps other servers out of it and opens the database. Throws StartError
 * where that cannot be.
 */
export function openDataFolder(path: string): DataFolder {
  makeWritable(path);
  const lock = takeLock(path);
  try {
    const database = openFolderDatabase(path);
    return {
      path,
      database,
      async freeBytes() {
        const found = await statfs(path).catch(() => null);
        return found ? found.bavail * found.bsize : null;
      },
      close() {
        database.close();
        if (lock.isOpen) lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** The database alone, also beside a server that runs. Throws StartError. */
export function openFolderDatabase(path: string): Database {
  makeWritable(path);
  try {
    const database = openDatabase(databasePath(path));
    chmodSync(databasePath(path), 0o600);
    return database;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new StartError(`${databasePath(path)}: ${error.message}`, error.remedy);
  }
}

function makeWritable(path: string): void {
  try {
    makeFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `The data folder ${path} cannot be written (${reason}).`,
      'Set MQTTLAB_DATA to another folder.',
    );
  }
}

/** With `recursive` Node would try for ever where a parent takes no folders (/proc). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** A lock of SQLite's own in a file beside the database: the system lets go of it whatever way the server ends. */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(join(path, 'mqttlab.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock.close();
    throw new StartError(`Another mqttlab uses the data folder ${path}.`, 'Stop it, or set MQTTLAB_DATA.');
  }
}
