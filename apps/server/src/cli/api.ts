import { apiPrefix, type Problem, problemSchema } from '@mqttlab/shared/messages/http';
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
  /** As text, for files that are none. */
  bytes(path: string): Promise<Uint8Array>;
  /** Sends a file as it is. */
  upload<T>(path: string, file: Uint8Array, response: z.ZodType<T>): Promise<T>;
  sendCsv<T>(path: string, text: string, response: z.ZodType<T>): Promise<T>;
}

/** A client of the public REST API. Throws CliApiError. */
export function makeApi(server: string, token: string | null): Api {
  const fetchOk = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    const response = await fetch(`${server}${apiPrefix}${path}`, { ...init, headers }).catch(
      (error: unknown) => {
        throw new CliApiError(notReachable(server, error));
      },
    );
    if (!response.ok) throw new CliApiError(parseProblem(await response.text(), response.status));
    return response;
  };
  const send = async (method: string, path: string, body?: unknown): Promise<string> => {
    const init: RequestInit = { method };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { 'content-type': 'application/json' };
    }
    return (await fetchOk(path, init)).text();
  };
  const post = async <T>(
    path: string,
    {
      body,
      type,
      response,
    }: { body: NonNullable<RequestInit['body']>; type: string; response: z.ZodType<T> },
  ): Promise<T> => {
    const answer = await fetchOk(path, { method: 'POST', headers: { 'content-type': type }, body });
    return response.parse(await answer.json());
  };
  return {
    server,
    call: async ({ method, path, body, response }) =>
      response.parse(JSON.parse((await send(method, path, body)) || 'null')),
    text: (path) => send('GET', path),
    bytes: async (path) => new Uint8Array(await (await fetchOk(path, { method: 'GET' })).arrayBuffer()),
    upload: (path, file, response) =>
      post(path, { body: new Uint8Array(file), type: 'application/zip', response }),
    sendCsv: (path, text, response) => post(path, { body: text, type: 'text/csv', response }),
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
