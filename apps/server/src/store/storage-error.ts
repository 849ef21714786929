import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '@mqttlab/shared/kit/failure';
import { type StorageFailure, storageFailures } from '@mqttlab/shared/messages/live';
import * as z from 'zod';

export type StorageErrorCode =
  | 'full'
  | 'read-only'
  | 'busy'
  | 'corrupt'
  | 'io'
  | 'too-new'
  | 'foreign'
  | 'in-use'
  | 'gone';

/** A database operation failed; no part of its transaction was stored. */
export class StorageError extends Failure {
  override readonly name = 'StorageError';
  declare readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options: { remedy: string; cause?: unknown }) {
    super({ code, message, remedy: options.remedy }, { cause: options.cause });
  }
}

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const known: Readonly<Record<number, { code: StorageErrorCode; message: string; remedy: string }>> = {
  5: { code: 'busy', message: 'The database is locked.', remedy: 'Close the program that is using it.' },
  8: { code: 'read-only', message: 'The database cannot be written.', remedy: 'Check its owner and mode.' },
  10: { code: 'io', message: 'Reading or writing the database failed.', remedy: 'Check the disk.' },
  11: { code: 'corrupt', message: 'The database is damaged.', remedy: 'Restore it from a backup.' },
  13: {
    code: 'full',
    message: 'The disk is full.',
    remedy: 'Free some space; the queue then continues automatically.',
  },
  14: { code: 'io', message: 'The database cannot be opened.', remedy: 'Check that its folder is writable.' },
  26: { code: 'foreign', message: 'The file is not a database.', remedy: 'Set MQTTLAB_DATA elsewhere.' },
};

/** Makes an optional write, which is omitted if it fails; the page then reports that the disk is full. */
export function writeIfPossible(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
}

/** Converts SQLite errors that a user can fix to StorageError; returns all other errors unchanged. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const match = known[error.errcode & 0xff];
  return match ? new StorageError(match.code, match.message, { remedy: match.remedy, cause: error }) : error;
}

/** The database to which a write is tried when there seems to be enough space. */
interface Probed {
  get(sql: string): unknown;
  run(sql: string): unknown;
}

/** Detects whether data can be written, from the results of writes and from the free disk space. */
export interface StorageWatch {
  /** Returns the current failure; null while all writes succeed. */
  trouble(): StorageFailure | null;
  /** Calls `listener` when a failure begins, changes or ends. Returns a function that unsubscribes. */
  onChange(listener: (trouble: StorageFailure | null) => void): () => void;
  /** Throws StorageError if a write would go to a deleted or moved file. */
  beforeWrite(): void;
  /** Records the result of a write. */
  note(error: StorageError): void;
  /** Checks periodically for free space; tries `database` when there seems to be enough. Idempotent. */
  start(database: Probed): void;
  stop(): void;
}

interface StorageWatchOptions {
  /** Path of the database, which exists from the first write. */
  path: string;
  nowMs?: () => number;
  everyMs?: number;
}

/** Free space below which no useful write succeeds, in bytes. */
const fullBytes = 64 * 1024;
/** Free space above which a full disk counts as writable again, in bytes. */
const roomBytes = 1024 * 1024;

export function makeStorageWatch({
  path,
  nowMs = Date.now,
  everyMs = 2000,
}: StorageWatchOptions): StorageWatch {
  const listeners = new Set<(trouble: StorageFailure | null) => void>();
  let trouble: StorageFailure | null = null;
  let timer: NodeJS.Timeout | null = null;
  let inode: string | null = null;

  const set = (next: StorageFailure | null): void => {
    if (next?.code === trouble?.code) return;
    trouble = next;
    for (const listener of listeners) listener(next);
  };
  const note = ({ code, message, remedy }: StorageError): void => {
    const known = storageFailures.find((name) => name === code);
    if (known) set({ code: known, message, remedy, since: trouble?.since ?? nowMs() });
  };
  const beforeWrite = (): void => {
    if (inode === null || inodeOf(path) === inode) return;
    throw new StorageError(
      'gone',
      `The data folder ${dirname(path)} was deleted or moved while the server was running.`,
      { remedy: 'Move it back, or restart the server, which then starts with the current content.' },
    );
  };
  /** Checks whether data can be written. Throws StorageError if not. */
  const look = (database: Probed): void => {
    beforeWrite();
    try {
      accessSync(dirname(path), constants.W_OK | constants.X_OK);
      accessSync(path, constants.W_OK);
    } catch (error) {
      throw new StorageError('read-only', `The data folder ${dirname(path)} is no longer writable.`, {
        remedy: 'Restore the ownership of the folder and its files for the user that the server runs as.',
        cause: error,
      });
    }
    const freeBytes = freeBytesAt(dirname(path));
    if (freeBytes < (trouble?.code === 'full' ? roomBytes : fullBytes)) throw diskFull();
    if (trouble !== null) tryToWrite(database);
  };
  const check = (database: Probed): void => {
    try {
      look(database);
      set(null);
    } catch (error) {
      if (error instanceof StorageError) note(error);
    }
  };

  return {
    trouble: () => trouble,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    beforeWrite,
    note,
    start(database) {
      inode ??= inodeOf(path);
      timer ??= setInterval(check, everyMs, database).unref();
    },
    stop() {
      if (timer) clearInterval(timer);
      timer = null;
    },
  };
}

/** Writes the database version, which is unchanged, to test whether its page can be written. */
function tryToWrite(database: Probed): void {
  const { user_version: version } = versionSchema.parse(database.get('PRAGMA user_version'));
  database.run(`PRAGMA user_version = ${version}`);
}

const versionSchema = z.object({ user_version: z.int() });

function diskFull(): StorageError {
  return new StorageError('full', 'The disk is full.', {
    remedy: 'Free some space; the queue then continues automatically.',
  });
}

/** Returns the inode of a file; null if there is no such file. */
function inodeOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : null;
}

function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
