import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { isStartFailure, startFailure } from '../base/errors.ts';
import { openKeys, sealKeys } from './backup-keys.ts';
import { databasePath, refuseDamaged } from './data-folder.ts';
import { openDatabase } from './database.ts';
import { describeLostKeys } from './lost-keys.ts';
import { isStateName, touchPrivate, writePrivateFile } from './private-files.ts';
import { StorageError, toStorageError } from './storage-error.ts';

/** A backup is the database with the other files of the data folder in this table: one file, read by SQLite. */
const table = 'backup_files';
const fileSchema = z.object({ path: z.string(), content: z.instanceof(Uint8Array) });
/** One row with the encrypted private files, in a backup with keys. */
const keyTable = 'backup_keys';
const sealedSchema = z.object({ header: z.string(), content: z.instanceof(Uint8Array) });

/** Created again if they are missing, or useless to another server. */
const leftOut = /^(mqttlab\.(db|lock)|cache)/;
/**
 * Keys of the server and its authorities, tokens of agents, and keys of unfinished or undelivered runs. A backup
 * includes them encrypted or not at all.
 */
const privatePath = /^(mqttlab\.key|(pki|ssh|tls)\/|agents\/[^/]+\/(token|runs\/)|agents\/.*keys\.log$)/;

/** Missing parts of a restored folder. */
export interface Restored {
  /** Required actions of the operator because keys are new, one sentence each; empty if the keys were restored. */
  todo: string[];
  /** The backup contains keys that were not requested. */
  hasMoreKeys: boolean;
}

/**
 * Writes a data folder to a new file, even while a server uses it. Undelivered results of devices are read first, so
 * that each is included at least once. Private keys are left out, or encrypted if there is a passphrase. Rejects with a
 * start failure.
 */
export async function writeBackup(
  folder: string,
  target: string,
  passphrase: string | null = null,
): Promise<void> {
  if (existsSync(target)) throw startFailure(`${target} already exists.`, 'Choose a new file name.');
  if (!existsSync(databasePath(folder))) {
    throw startFailure(`${folder} is not a data folder: it has no database.`, 'Set MQTTLAB_DATA.');
  }
  const draft = `${target}.draft`;
  try {
    const found = filesOf(folder);
    const files = found.filter(({ path }) => !privatePath.test(path));
    const keys =
      passphrase === null
        ? null
        : sealKeys(
            found.filter(({ path }) => privatePath.test(path)),
            passphrase,
          );
    touchPrivate(draft);
    const source = new DatabaseSync(databasePath(folder), { timeout: 5000 });
    try {
      // In one step: a backup in several steps restarts whenever the database is written in between.
      await backup(source, draft, { rate: 0x7fff_ffff });
    } finally {
      source.close();
    }
    const copy = new DatabaseSync(draft);
    try {
      copy.exec(
        `PRAGMA journal_mode = DELETE; CREATE TABLE ${table} (path TEXT PRIMARY KEY, content BLOB NOT NULL)`,
      );
      const insert = copy.prepare(`INSERT INTO ${table} VALUES (?, ?)`);
      for (const { path, content } of files) insert.run(path, content);
      if (keys) {
        copy.exec(`CREATE TABLE ${keyTable} (header TEXT NOT NULL, content BLOB NOT NULL)`);
        copy.prepare(`INSERT INTO ${keyTable} VALUES (?, ?)`).run(keys.header, keys.content);
      }
      refuseDamaged(copy.prepare('PRAGMA quick_check(1)').get(), draft);
    } finally {
      copy.close();
    }
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw toStartFailure(error, target);
  }
}

/**
 * Creates a data folder from a backup, with its keys if there is a passphrase. A folder that already has a database is
 * not changed. Rejects with a start failure.
 */
export async function restoreBackup(
  source: string,
  folder: string,
  passphrase: string | null = null,
): Promise<Restored> {
  if (existsSync(databasePath(folder))) {
    throw startFailure(
      `The data folder ${folder} already has a database.`,
      'Set MQTTLAB_DATA to a new folder, or move the old one away.',
    );
  }
  const draft = `${databasePath(folder)}.draft`;
  let hasKeys = false;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    touchPrivate(draft);
    await copyFile(source, draft);
    const copy = new DatabaseSync(draft);
    try {
      refuseDamaged(copy.prepare('PRAGMA quick_check(1)').get(), source);
      const has = (name: string) =>
        copy.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
      if (!has(table))
        throw startFailure(`${source} is not a backup.`, 'Choose a file that "mqttlab backup" wrote.');
      hasKeys = has(keyTable);
      if (passphrase !== null && !hasKeys) {
        throw startFailure(`${source} was written without keys.`, 'Restore it without --with-keys.');
      }
      const keys =
        passphrase === null
          ? []
          : openKeys(sealedSchema.parse(copy.prepare(`SELECT * FROM ${keyTable}`).get()), passphrase);
      const files = z.array(fileSchema).parse(copy.prepare(`SELECT path, content FROM ${table}`).all());
      for (const { path, content } of [...files, ...keys]) putBack(join(folder, ...partsOf(path)), content);
      copy.exec(`DROP TABLE ${table}; DROP TABLE IF EXISTS ${keyTable}; VACUUM`);
    } finally {
      copy.close();
    }
    // A backup of a later version is refused before it is renamed.
    const database = openDatabase(draft);
    const todo = passphrase === null ? describeLostKeys(database) : [];
    database.close();
    renameSync(draft, databasePath(folder));
    return { todo, hasMoreKeys: hasKeys && passphrase === null };
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true });
    throw toStartFailure(error, source);
  }
}

function filesOf(folder: string, within: readonly string[] = []): { path: string; content: Buffer }[] {
  return readdirSync(join(folder, ...within)).flatMap((name) => {
    const parts = [...within, name];
    if (within.length === 0 && (!isStateName(name) || leftOut.test(name))) return [];
    const path = join(folder, ...parts);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return filesOf(folder, parts);
    // Skips files that agents removed after delivery.
    if (!found?.isFile() || !existsSync(path)) return [];
    return [{ path: parts.join('/'), content: readFileSync(path) }];
  });
}

function putBack(path: string, content: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writePrivateFile(path, content);
}

/** Returns a path within the folder. Throws a start failure for any other. */
function partsOf(path: string): string[] {
  const parts = path.split('/');
  const isOurs = isStateName(parts[0] ?? '') && !leftOut.test(parts[0] ?? '');
  if (isOurs && parts.every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'))) {
    return parts;
  }
  throw startFailure(
    `The backup contains a file that does not belong to mqttlab (${path}).`,
    'Use another backup.',
  );
}

function toStartFailure(error: unknown, path: string): Error {
  if (isStartFailure(error)) return error;
  const named = toStorageError(error);
  if (named instanceof StorageError) return startFailure(`${path}: ${named.message}`, named.remedy);
  const reason = error instanceof Error ? error.message : String(error);
  return startFailure(
    `${path} cannot be read or written (${reason}).`,
    'Check the path and its permissions.',
  );
}
