import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { plural } from '@mqttlab/shared/format/number';
import * as z from 'zod';
import { isStartFailure, startFailure } from '../base/errors.ts';
import { databasePath, refuseDamaged } from './data-folder.ts';
import { type Database, openDatabase } from './database.ts';
import { isStateName, touchPrivate, writePrivateFile } from './private-files.ts';
import { secretUses } from './secret-box.ts';
import { StorageError, toStorageError } from './storage-error.ts';
import { countOf } from './table.ts';

/**
 * A backup is one SQLite file: the database, with the other files of the data folder stored in this table.
 */
const table = 'backup_files';
const fileSchema = z.object({ path: z.string(), content: z.instanceof(Uint8Array) });
/** Contains one row with the encrypted private files, in a backup with keys. */
const keyTable = 'backup_keys';
const sealedSchema = z.object({ header: z.string(), content: z.instanceof(Uint8Array) });

/** Files that are created again if they are missing, or that are useless to another server. */
const leftOut = /^(mqttlab\.(db|lock)|cache)/;
/**
 * Keys of the server and its certificate authorities, tokens of agents, and keys of unfinished or undelivered
 * runs. A backup only includes them in encrypted form.
 */
const privatePath = /^(mqttlab\.key|(pki|ssh|tls)\/|agents\/[^/]+\/(token|runs\/)|agents\/.*keys\.log$)/;

/** What is missing from a restored folder. */
export interface Restored {
  /**
   * Actions that the operator must take because keys are new, one sentence each; empty if the keys were
   * restored.
   */
  todo: string[];
  /** True if the backup contains keys that were not requested. */
  hasMoreKeys: boolean;
}

/**
 * Writes a data folder to a new file, even while a server is using the folder. Undelivered results of devices
 * are read first, so that each is included at least once. Private keys are omitted, or encrypted if there is
 * a passphrase. Rejects with a start failure.
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
      // Copied in one step, because a backup in several steps restarts whenever the database is written in
      // between.
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
 * Creates a data folder from a backup, with its keys if there is a passphrase. A folder that already has a
 * database is not changed. Rejects with a start failure.
 */
export async function restoreBackup(
  source: string,
  folder: string,
  passphrase: string | null = null,
): Promise<Restored> {
  if (existsSync(databasePath(folder))) {
    throw startFailure(
      `The data folder ${folder} already has a database.`,
      'Set MQTTLAB_DATA to a new folder, or move the existing one.',
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
    // A backup from a later version is refused before it is renamed.
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

/** Returns a path within the folder. Throws a start failure for any other path. */
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

/** A file of the data folder, with its relative path. */
interface BackupFile {
  path: string;
  content: Uint8Array;
}

/** Encrypted private files as stored in a backup. */
interface SealedKeys {
  /** JSON that matches `headerSchema`: the parameters for decryption, except the passphrase. */
  header: string;
  /** Ciphertext followed by the authentication tag. */
  content: Uint8Array;
}

/** Limited, so that a forged backup cannot use all memory. */
const headerSchema = z.strictObject({
  keyDerivation: z.literal('scrypt'),
  cost: z
    .int()
    .min(2 ** 14)
    .max(2 ** 20),
  blockSize: z.int().min(1).max(16),
  parallelization: z.int().min(1).max(16),
  salt: z.base64(),
  cipher: z.literal('aes-256-gcm'),
  nonce: z.base64(),
});
type Header = z.infer<typeof headerSchema>;

const filesSchema = z.array(z.strictObject({ path: z.string(), content: z.base64() }));

const tagBytes = 16;
const minPassphraseLength = 12;

/**
 * Encrypts files with AES-256-GCM, with a key that scrypt derives from the passphrase (RFC 7914; 128 MiB of
 * memory). Throws a start failure if the passphrase is too short.
 */
function sealKeys(files: readonly BackupFile[], passphrase: string): SealedKeys {
  if (passphrase.length < minPassphraseLength) {
    throw startFailure(
      `The passphrase has fewer than ${minPassphraseLength} characters.`,
      'Choose a longer one: the number of guesses at a copied backup is not limited.',
    );
  }
  const nonce = randomBytes(12);
  const parameters: Header = {
    keyDerivation: 'scrypt',
    cost: 2 ** 17,
    blockSize: 8,
    parallelization: 1,
    salt: randomBytes(16).toString('base64'),
    cipher: 'aes-256-gcm',
    nonce: nonce.toString('base64'),
  };
  const header = JSON.stringify(parameters);
  const packed = files.map(({ path, content }) => ({
    path,
    content: Buffer.from(content).toString('base64'),
  }));
  const cipher = createCipheriv('aes-256-gcm', deriveKey(passphrase, parameters), nonce).setAAD(
    Buffer.from(header),
  );
  const body = [cipher.update(JSON.stringify(packed), 'utf8'), cipher.final()];
  return { header, content: Buffer.concat([...body, cipher.getAuthTag()]) };
}

/** Decrypts the keys. Throws a start failure if the passphrase is wrong or the backup was changed. */
function openKeys({ header, content }: SealedKeys, passphrase: string): BackupFile[] {
  try {
    const parameters = headerSchema.parse(JSON.parse(header));
    const nonce = Buffer.from(parameters.nonce, 'base64');
    const options = { authTagLength: tagBytes };
    const decipher = createDecipheriv('aes-256-gcm', deriveKey(passphrase, parameters), nonce, options);
    decipher.setAAD(Buffer.from(header)).setAuthTag(content.subarray(-tagBytes));
    const body = [decipher.update(content.subarray(0, -tagBytes)), decipher.final()];
    const files = filesSchema.parse(JSON.parse(Buffer.concat(body).toString('utf8')));
    return files.map((file) => ({ path: file.path, content: Buffer.from(file.content, 'base64') }));
  } catch {
    throw startFailure(
      'The keys of the backup cannot be decrypted: the passphrase is wrong, or the file was changed.',
      'Enter the passphrase of the backup, or omit --with-keys to restore the rest.',
    );
  }
}

function deriveKey(passphrase: string, { cost, blockSize, parallelization, salt }: Header): Buffer {
  return scryptSync(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, {
    cost,
    blockSize,
    parallelization,
    maxmem: 128 * cost * blockSize + 128 * blockSize * parallelization + 2 ** 20,
  });
}

/** Secrets that may be lost, with the column that names their rows and the action for the operator. */
const lostSecrets: readonly { use: string; name: string; sentence: (names: string) => string }[] = [
  {
    use: secretUses.brokerPassword,
    name: 'testbed_id',
    sentence: (names) => `Enter the password of the external broker again, on testbed ${names}.`,
  },
  {
    use: secretUses.webhookSecret,
    name: "'#' || id",
    sentence: (names) => `Enter the webhook secrets for ${names} again.`,
  },
  {
    use: secretUses.externalDevicePassword,
    name: 'testbed_id',
    sentence: (names) =>
      `Save the device without an agent again and load its new program onto it, on testbed ${names}.`,
  },
];

/**
 * Returns the actions that an operator must take after a database was restored without the keys of its data
 * folder, one sentence each. The next start of the server creates new keys.
 */
function describeLostKeys(database: Database): string[] {
  const sentences = [
    "Browsers, command lines (MQTTLAB_AUTHORITY) and Prometheus must trust the server's new tls/authority.pem, unless the server uses MQTTLAB_TLS_CERTIFICATE.",
  ];
  const pooled = database.column<string>('SELECT name FROM devices WHERE pool IS NOT NULL ORDER BY name');
  if (pooled.length > 0) {
    sentences.push(
      `Agents that pin the old CA certificate need the new tls/authority.pem in the file named by NODE_EXTRA_CA_CERTS: ${listOf(pooled)}.`,
    );
  }
  const overSsh = database.column<string>(
    'SELECT name FROM devices JOIN ssh_devices ON ssh_devices.device_id = devices.id ORDER BY name',
  );
  if (overSsh.length > 0) {
    sentences.push(
      `The server has a new SSH key. Run "mqttlab device add USER@HOST NAME" again, with the password of the device, for ${listOf(overSsh)}.`,
    );
  }
  for (const { use, name, sentence } of lostSecrets) {
    const [table, column] = use.split('.');
    const names = database.column<string>(
      `SELECT ${name} AS name FROM ${table} WHERE ${column} IS NOT NULL ORDER BY 1`,
    );
    if (names.length > 0) sentences.push(sentence(listOf(names)));
  }
  const keyLogs = countOf(database, `SELECT count(DISTINCT run_id) FROM run_files WHERE name = 'keys.log'`);
  if (keyLogs > 0) sentences.push(`The TLS key logs of ${plural(keyLogs, 'run')} can no longer be read.`);
  sentences.push('Bundles are signed with a new key from now on.');
  return sentences;
}

function listOf(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, 10), names.length - 10];
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
