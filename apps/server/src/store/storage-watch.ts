import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type StorageTrouble, storageTroubles } from '@mqttlab/shared/messages/live';
import * as z from 'zod';
import { StorageError } from './storage-error.ts';

/** What is tried once there seems to be room. */
interface Probed {
  get(sql: string): unknown;
  run(sql: string): unknown;
}

/** Whether the data can be written, from what writes said and from looking at the disk. */
export interface StorageWatch {
  /** null while everything is kept. */
  trouble(): StorageTrouble | null;
  /** Called when trouble begins, changes or is over; returns what ends it. */
  onChange(listener: (trouble: StorageTrouble | null) => void): () => void;
  /** Throws StorageError if a write would go to a deleted or moved file. */
  beforeWrite(): void;
  /** What a write said. */
  note(error: StorageError): void;
  /** Looks now and then whether there is room; `database` is tried once there seems to be. Idempotent. */
  start(database: Probed): void;
  stop(): void;
}

export interface StorageWatchOptions {
  /** Of the database; it exists when the first write comes. */
  path: string;
  nowMs?: () => number;
  everyMs?: number;
}

/** Below this nothing of use fits any more. */
const fullBytes = 64 * 1024;
/** Above this a disk that was full has room again. */
const roomBytes = 1024 * 1024;

export function makeStorageWatch({
  path,
  nowMs = Date.now,
  everyMs = 2000,
}: StorageWatchOptions): StorageWatch {
  const listeners = new Set<(trouble: StorageTrouble | null) => void>();
  let trouble: StorageTrouble | null = null;
  let timer: NodeJS.Timeout | null = null;
  let inode: string | null = null;

  const set = (next: StorageTrouble | null): void => {
    if (next?.code === trouble?.code) return;
    trouble = next;
    for (const listener of listeners) listener(next);
  };
  const note = ({ code, message, remedy }: StorageError): void => {
    const known = storageTroubles.find((name) => name === code);
    if (known) set({ code: known, message, remedy, since: trouble?.since ?? nowMs() });
  };
  const beforeWrite = (): void => {
    if (inode === null || inodeOf(path) === inode) return;
    throw new StorageError(
      'gone',
      `The data folder ${dirname(path)} was deleted or moved under the server.`,
      {
        remedy: 'Move it back; or stop the server and start it again, which begins with what is there then.',
      },
    );
  };
  /** Throws StorageError where nothing could be kept. */
  const look = (database: Probed): void => {
    beforeWrite();
    try {
      accessSync(dirname(path), constants.W_OK | constants.X_OK);
      accessSync(path, constants.W_OK);
    } catch (error) {
      throw new StorageError('read-only', `The data folder ${dirname(path)} cannot be written any more.`, {
        remedy: 'Give it and its files back to the user that the server runs as.',
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

/** Writes the page that holds the version, with the version it has. */
function tryToWrite(database: Probed): void {
  const { user_version: version } = versionSchema.parse(database.get('PRAGMA user_version'));
  database.run(`PRAGMA user_version = ${version}`);
}

const versionSchema = z.object({ user_version: z.int() });

function diskFull(): StorageError {
  return new StorageError('full', 'The disk is full.', {
    remedy: 'Free some space; the queue goes on by itself.',
  });
}

/** null where there is no such file. */
function inodeOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : null;
}

function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
