import { Failure } from '@mqttlab/shared/kit/failure';
import * as z from 'zod';
import { StorageError } from './storage-error.ts';

const code = 'unreadable-row';

/** A stored row cannot be read; it can still be exported as stored, and deleted. */
function unreadableRow(what: string, cause: unknown): Failure {
  const message = `The stored data of ${what} cannot be read: ${describeCause(cause)}.`;
  const remedy = 'Export it as stored, or delete it, in the list. Nothing else is affected.';
  return new Failure({ code, message, remedy }, { cause });
}

/** True for the failure that `readOrBroken` throws. */
export function isUnreadableRow(error: unknown): error is Failure {
  return error instanceof Failure && error.code === code;
}

/** As part of a sentence in a list. */
function describeCause(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    const [issue] = cause.issues;
    const field = issue?.path.map(String).join('.') || 'it';
    return `${field.slice(0, 200)}: ${issue?.message ?? 'is not valid'}`.slice(0, 600);
  }
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '').slice(0, 600);
}

/** Throws a failure with code 'unreadable-row' if `read` throws anything but a StorageError. */
export function readOrBroken<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isUnreadable(error) ? unreadableRow(what, error) : error;
  }
}

/** Returns the readable rows: an unreadable one must not break a list. `salvage` replaces it; null omits it. */
export function readEach<Row, T>(rows: readonly Row[], read: (row: Row) => T, salvage: Salvage<Row, T>): T[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const instead = salvage(row, describeCause(error));
      return instead === null ? [] : [instead];
    }
  });
}

type Salvage<Row, T> = (row: Row, reason: string) => T | null;

/** For lists that can omit unreadable rows. */
export const leaveOut = (): null => null;

/** A StorageError is a disk error; any other error of parsing, unpacking or computing is caused by the row. */
function isUnreadable(error: unknown): boolean {
  return !(error instanceof StorageError);
}
