import { randomUUID } from 'node:crypto';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import * as z from 'zod';
import { ProblemError } from '../base/errors.ts';
import { BrokenRowError } from '../store/broken-row.ts';
import { StorageError, type StorageErrorCode } from '../store/storage-error.ts';
import { sendProblem } from './answer.ts';

/** Problems of the request itself, as Express and body-parser report them. */
const requestErrorSchema = z.object({
  status: z.int().min(400).max(499),
  type: z.string().optional(),
  /** Bytes that a body of this type may have. */
  limit: z.number().optional(),
});

const remedies: Readonly<Record<string, string>> = {
  'entity.parse.failed': 'Send valid JSON.',
  'encoding.unsupported': 'Send the body as it is, or with gzip, deflate or br.',
  'charset.unsupported': 'Send UTF-8.',
};

/** What a retry may help with, once somebody has seen to the disk. */
const storageStatuses: Readonly<Partial<Record<StorageErrorCode, number>>> = {
  full: 507,
  busy: 503,
  'read-only': 503,
  gone: 503,
};

export type ErrorHandler = (error: unknown, request: Request, response: Response) => void;

/** Turns everything that is thrown into a problem document; only what is our fault is logged and a 5xx. */
export function makeErrorHandler(logger: Logger): ErrorHandler {
  return (error, request, response) => {
    if (response.headersSent) {
      logger.warn({ err: error, path: request.path }, 'an answer was cut off');
      response.destroy();
      return;
    }
    const { problem, headers } = toProblem(error);
    if (problem.status >= 500 && !(error instanceof ProblemError)) {
      const id = randomUUID();
      logger.error({ err: error, id, method: request.method, path: request.path }, problem.detail);
      if (problem.status === 500) problem.remedy = `${problem.remedy} The server's log has it under ${id}.`;
    }
    response.set(headers);
    sendProblem(response, problem);
  };
}

function tooLarge(limit: number): ProblemError {
  const most = formatBytes(limit);
  return new ProblemError({
    status: 413,
    detail: `The body is larger than ${most}.`,
    remedy: `Send at most ${most}.`,
  });
}

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof StorageError) {
    const status = storageStatuses[error.code] ?? 500;
    return new ProblemError({
      status,
      detail: `${error.message} Nothing of this request was kept.`,
      remedy: error.remedy,
    });
  }
  if (error instanceof BrokenRowError) {
    return new ProblemError({ status: 409, detail: error.message, remedy: error.remedy });
  }
  const known = requestErrorSchema.safeParse(error);
  if (known.success && error instanceof Error) {
    const { status, type, limit } = known.data;
    if (type === 'entity.too.large' && limit !== undefined) return tooLarge(limit);
    return new ProblemError({
      status,
      detail: type === 'entity.parse.failed' ? `The body is no JSON: ${error.message}.` : error.message,
      remedy: remedies[type ?? ''] ?? 'Correct the request and send it again.',
    });
  }
  return new ProblemError({
    status: 500,
    detail: 'Something went wrong inside the server.',
    remedy: 'Try again.',
  });
}
