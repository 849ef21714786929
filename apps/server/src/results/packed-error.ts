import type { Problem } from '@mqttlab/shared/messages/http';
import { ProblemError } from '../base/errors.ts';
import { BrokenRowError } from '../store/broken-row.ts';
import { StorageError, type StorageErrorCode } from '../store/storage-error.ts';

/** An error as one thread or process sends it to another: only these classes have a meaning to the receiver. */
export type PackedError =
  | { kind: 'problem'; problem: Problem }
  | { kind: 'broken row'; what: string; reason: string }
  | { kind: 'storage'; code: StorageErrorCode; message: string; remedy: string }
  | { kind: 'other'; text: string };

export function packError(error: unknown): PackedError {
  if (error instanceof ProblemError) return { kind: 'problem', problem: error.problem };
  if (error instanceof BrokenRowError) {
    const { what, reason } = error;
    return { kind: 'broken row', what, reason };
  }
  if (error instanceof StorageError) {
    const { code, message, remedy } = error;
    return { kind: 'storage', code, message, remedy };
  }
  return { kind: 'other', text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function unpackError(packed: PackedError): Error {
  if (packed.kind === 'problem') {
    const { status, detail, remedy, issues } = packed.problem;
    return new ProblemError({ status, detail, remedy, issues });
  }
  if (packed.kind === 'broken row') return new BrokenRowError(packed.what, packed.reason);
  if (packed.kind === 'storage') {
    return new StorageError(packed.code, packed.message, { remedy: packed.remedy });
  }
  return new Error(packed.text);
}
