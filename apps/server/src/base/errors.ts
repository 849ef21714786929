import { STATUS_CODES } from 'node:http';
import type { Issue } from '@mqttlab/shared/domain/issue';
import { Failure } from '@mqttlab/shared/kit/failure';
import type { Problem } from '@mqttlab/shared/messages/http';

interface ProblemInput {
  status: number;
  /** The problem, in one sentence. */
  detail: string;
  /** Action that the user can take. */
  remedy: string;
  issues?: Issue[];
  /** Additional response headers, for example Allow. */
  headers?: Readonly<Record<string, string>>;
}

/** An error response that can be thrown: an RFC 9457 document and an HTTP status. */
export class ProblemError extends Error {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(input: ProblemInput) {
    super(input.detail);
    this.name = 'ProblemError';
    this.headers = input.headers ?? {};
    this.problem = {
      type: 'about:blank',
      title: STATUS_CODES[input.status] ?? 'Error',
      status: input.status,
      detail: input.detail,
      remedy: input.remedy,
      issues: input.issues ?? [],
    };
  }
}

/** Creates a 404 problem: the object does not exist. */
export function notFound(what: string, id: string | number): ProblemError {
  return new ProblemError({
    status: 404,
    detail: `There is no ${what} ${id}.`,
    remedy: 'Check the address, or go back to the list.',
  });
}

/** Creates a 409 problem: the request is valid, but not in the current state. */
export function conflict(detail: string, remedy: string): ProblemError {
  return new ProblemError({ status: 409, detail, remedy });
}

/**
 * Creates a 422 problem: the request is well-formed, but its content is not acceptable. Every issue names
 * field and remedy.
 */
export function unprocessable(detail: string, issues: Issue[]): ProblemError {
  const [first] = issues;
  return new ProblemError({
    status: 422,
    detail: first ? `${detail} ${first.field || 'body'}: ${first.reason}.` : detail,
    remedy: first?.remedy ?? 'Correct the input and send it again.',
    issues,
  });
}

const startCode = 'cannot-start';

/** Creates the error of a server that cannot start; main prints `message` and `remedy` in one line. */
export function startFailure(message: string, remedy: string): Failure {
  return new Failure({ code: startCode, message, remedy });
}

export function isStartFailure(error: unknown): error is Failure {
  return error instanceof Failure && error.code === startCode;
}
