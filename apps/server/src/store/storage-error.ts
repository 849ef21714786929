import { Failure } from '@mqttlab/shared/kit/failure';

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

/** A database operation failed; nothing of its transaction was stored. */
export class StorageError extends Failure {
  override readonly name = 'StorageError';
  declare readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options: { remedy: string; cause?: unknown }) {
    super({ code, message, remedy: options.remedy }, { cause: options.cause });
  }
}

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const known: Readonly<Record<number, { code: StorageErrorCode; message: string; remedy: string }>> = {
  5: { code: 'busy', message: 'The database is locked.', remedy: 'Close the other program that uses it.' },
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

/** For optional writes: omitted if the disk rejects them. The page reports that it is full. */
export function writeIfPossible(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
}

/** Names errors of SQLite that a user can fix; all other errors pass unchanged. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const match = known[error.errcode & 0xff];
  return match ? new StorageError(match.code, match.message, { remedy: match.remedy, cause: error }) : error;
}
