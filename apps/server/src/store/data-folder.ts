import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Failure } from '@mqttlab/shared/kit/failure';
import { isStartFailure, startFailure } from '../base/errors.ts';
import { type Database, openDatabase } from './database.ts';
import { makeStatePrivate, touchPrivate } from './private-files.ts';
import { listUnreadableSecrets, openSecretBox, type SecretBox } from './secret-box.ts';
import { makeStorageWatch, StorageError, type StorageWatch, toStorageError } from './storage-error.ts';

export interface DataFolder {
  path: string;
  database: Database;
  /** Watches whether the folder is writable. */
  watch: StorageWatch;
  /** Encrypts the secrets in the database. */
  secrets: SecretBox;
  /** Tables and columns with secrets that were encrypted with another key file. */
  unreadable: string[];
  /** null if unknown. */
  freeBytes(): Promise<number | null>;
  close(): void;
}

export function databasePath(folder: string): string {
  return join(folder, 'mqttlab.db');
}

/**
 * Creates the folder if it is missing, locks out other servers and opens the database. Throws a start failure if that
 * is not possible.
 */
export function openDataFolder(path: string): DataFolder {
  makeWritable(path);
  const lock = takeLock(path);
  try {
    const watch = makeStorageWatch({ path: databasePath(path) });
    const isSuspect = mayBeDamaged(path);
    const database = openFolderDatabase(path, watch);
    if (isSuspect) checkDatabase(database, databasePath(path));
    const secrets = openSecrets(path);
    const unreadable = listUnreadableSecrets(database, secrets);
    watch.start(database);
    return {
      path,
      database,
      watch,
      secrets,
      unreadable,
      async freeBytes() {
        const found = await statfs(path).catch(() => null);
        return found ? found.bavail * found.bsize : null;
      },
      close() {
        watch.stop();
        database.close();
        if (lock.isOpen) lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Maximum size of a database that is checked at every start, in bytes; the check takes at most a second. */
const quicklyCheckedBytes = 256 * 1024 * 1024;

/**
 * Returns true if the database must be checked: a large database only if the last server crashed and left its
 * log.
 */
function mayBeDamaged(path: string): boolean {
  const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return bytesOf(`${databasePath(path)}-wal`) > 0 || bytesOf(databasePath(path)) <= quicklyCheckedBytes;
}

function checkDatabase(database: Database, path: string): void {
  try {
    refuseDamaged(database.get('PRAGMA quick_check(1)'), path);
  } catch (error) {
    database.close();
    if (!(error instanceof StorageError)) throw error;
    throw startFailure(`${path}: ${error.message}`, error.remedy);
  }
}

/**
 * Throws a start failure if SQLite found that the file is inconsistent. `found`: result of "PRAGMA
 * quick_check(1)".
 */
export function refuseDamaged(found: unknown, path: string): void {
  const result = String(Object.values(found ?? {})[0]);
  if (result === 'ok') return;
  throw startFailure(
    `The database ${path} is damaged (${result.replaceAll('\n', ' ').slice(0, 200)}).`,
    'Restore the last backup into a new folder: "npm run mqttlab -- restore FILE" with MQTTLAB_DATA set to it.',
  );
}

/** Opens only the database, even while a server is using it. Throws a start failure. */
export function openFolderDatabase(path: string, watch?: StorageWatch): Database {
  makeWritable(path);
  try {
    // SQLite creates its log files with the file mode of the database.
    touchPrivate(databasePath(path));
    for (const suffix of ['', '-wal', '-shm']) {
      const file = databasePath(path) + suffix;
      if (existsSync(file)) chmodSync(file, 0o600);
    }
    return openDatabase(databasePath(path), watch ? { watch } : {});
  } catch (error) {
    if (error instanceof StorageError)
      throw startFailure(`${databasePath(path)}: ${error.message}`, error.remedy);
    throw foreignFolder(path, error);
  }
}

/** Removes the permissions of other users from the folder's files. Throws a start failure. */
function openSecrets(path: string): SecretBox {
  try {
    makeStatePrivate(path);
    return openSecretBox(path);
  } catch (error) {
    throw isStartFailure(error) ? error : foreignFolder(path, error);
  }
}

function makeWritable(path: string): void {
  try {
    makeFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw startFailure(
      `The data folder ${path} cannot be written (${reason}).`,
      'Set MQTTLAB_DATA to another folder.',
    );
  }
  // SQLite would open files without write permission as read-only, without locking out other servers.
  for (const name of ['mqttlab.lock', 'mqttlab.db', 'mqttlab.db-wal', 'mqttlab.db-shm']) {
    try {
      if (existsSync(join(path, name))) accessSync(join(path, name), constants.W_OK);
    } catch (error) {
      throw foreignFolder(path, error);
    }
  }
}

/**
 * Creates the folder and its parents one by one. With `recursive`, Node would retry forever below a parent
 * that accepts no folders (/proc).
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function foreignFolder(path: string, error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  return startFailure(
    `The data folder ${path} contains files that this user cannot change (${reason}).`,
    'Start the server as their owner, give them to this user (chown -R), or set MQTTLAB_DATA to another folder.',
  );
}

/**
 * Locks a file next to the database with SQLite. The operating system releases the lock even if the server
 * crashes.
 */
function takeLock(path: string): DatabaseSync {
  touchPrivate(join(path, 'mqttlab.lock'));
  const lock = new DatabaseSync(join(path, 'mqttlab.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    const why = toStorageError(error);
    // Only "busy" means that another server has the lock.
    if (why instanceof StorageError && why.code !== 'busy') {
      throw startFailure(`${join(path, 'mqttlab.lock')}: ${why.message}`, why.remedy);
    }
    throw startFailure(
      `Another mqttlab is using the data folder ${path}.`,
      'Stop it, or set MQTTLAB_DATA to another folder.',
    );
  }
}
