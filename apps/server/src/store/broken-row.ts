import * as z from 'zod';
import { StorageError } from './storage-error.ts';

/** What is stored of one thing cannot be read; it can still be exported as it is, and deleted. */
export class BrokenRowError extends Error {
  readonly what: string;
  readonly reason: string;
  readonly remedy: string;

  constructor(what: string, cause: unknown) {
    const reason = reasonOf(cause);
    super(`What is stored of ${what} cannot be read: ${reason}.`, { cause });
    this.name = 'BrokenRowError';
    this.what = what;
    this.reason = reason;
    this.remedy = 'Export it as it is stored, or delete it, in the list. Nothing else is affected.';
  }
}

/** In a sentence that fits into a list. */
function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    const [issue] = cause.issues;
    const field = issue?.path.map(String).join('.') || 'it';
    return `${field.slice(0, 200)}: ${issue?.message ?? 'is not valid'}`.slice(0, 600);
  }
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '').slice(0, 600);
}

/** Throws BrokenRowError where `read` finds what it cannot read; errors of the disk pass. */
export function readOrBroken<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isUnreadable(error) ? new BrokenRowError(what, error) : error;
  }
}

/** The rows that can be read: one that cannot never breaks a list. `salvage` stands in for it; null leaves it out. */
export function readEach<Row, T>(rows: readonly Row[], read: (row: Row) => T, salvage: Salvage<Row, T>): T[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const instead = salvage(row, reasonOf(error));
      return instead === null ? [] : [instead];
    }
  });
}

type Salvage<Row, T> = (row: Row, reason: string) => T | null;

/** For lists in which a row that cannot be read has nothing to say. */
export const leaveOut = (): null => null;

/** StorageError is the disk; whatever else parsing, unpacking and computing throw over a row is the row. */
function isUnreadable(error: unknown): boolean {
  return !(error instanceof StorageError);
}
