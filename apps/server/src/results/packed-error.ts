import { Failure, type FailureReport } from '@mqttlab/shared/kit/failure';
import type { Problem } from '@mqttlab/shared/messages/http';
import { ProblemError } from '../base/errors.ts';
import { StorageError, type StorageErrorCode } from '../store/storage-error.ts';

/** An error for transfer between threads or processes: the receiver gets the same class. */
export type PackedError =
  | { kind: 'problem'; problem: Problem }
  | { kind: 'failure'; report: FailureReport }
  | { kind: 'storage'; code: StorageErrorCode; message: string; remedy: string }
  | { kind: 'other'; text: string };

export function packError(error: unknown): PackedError {
  if (error instanceof ProblemError) return { kind: 'problem', problem: error.problem };
  if (error instanceof StorageError) {
    const { code, message, remedy } = error;
    return { kind: 'storage', code, message, remedy };
  }
  if (error instanceof Failure) return { kind: 'failure', report: error.report };
  return { kind: 'other', text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function unpackError(packed: PackedError): Error {
  if (packed.kind === 'problem') {
    const { status, detail, remedy, issues } = packed.problem;
    return new ProblemError({ status, detail, remedy, issues });
  }
  if (packed.kind === 'failure') return new Failure(packed.report);
  if (packed.kind === 'storage') {
    return new StorageError(packed.code, packed.message, { remedy: packed.remedy });
  }
  return new Error(packed.text);
}
