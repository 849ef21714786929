import { apiPrefix, type Problem, problemSchema } from '@mqttlab/shared/protocol/http';
import type * as z from 'zod';

/** The server said no, or did not answer. */
export class CliApiError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export interface ApiRequest<T> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind /api/v1. */
  path: string;
  body?: unknown;
  response: z.ZodType<T>;
}

export interface Api {
  readonly server: string;
  call<T>(request: ApiRequest<T>): Promise<T>;
  /** The body as it comes, for files. */
  text(path: string): Promise<string>;
}

/** A client of the public REST API. Throws CliApiError. */
export function makeApi(server: string, token: string | null): Api {
  const send = async (method: string, path: string, body?: unknown): Promise<string> => {
    const headers: Record<string, string> = {};
    if (token !== null) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await fetch(`${server}${apiPrefix}${path}`, init).catch((error: unknown) => {
      throw new CliApiError(notReachable(server, error));
    });
    const text = await response.text();
    if (!response.ok) throw new CliApiError(parseProblem(text, response.status));
    return text;
  };
  return {
    server,
    call: async ({ method, path, body, response }) =>
      response.parse(JSON.parse((await send(method, path, body)) || 'null')),
    text: (path) => send('GET', path),
  };
}

function notReachable(server: string, error: unknown): Problem {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  return {
    type: 'about:blank',
    title: 'Server not reachable',
    status: 0,
    detail: `no mqttlab answers at ${server} (${cause})`,
    remedy: 'Start it with "npm start", or name another address with --server.',
    issues: [],
  };
}

function parseProblem(text: string, status: number): Problem {
  try {
    return problemSchema.parse(JSON.parse(text));
  } catch {
    return {
      type: 'about:blank',
      title: `HTTP ${status}`,
      status,
      detail: `the server answered ${status} without saying why`,
      remedy: 'Check that the address is that of mqttlab.',
      issues: [],
    };
  }
}
