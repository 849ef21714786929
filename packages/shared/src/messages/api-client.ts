import type * as z from 'zod';
import { addressOf } from './address.ts';
import type { Endpoint } from './api/endpoint.ts';
import type { Answer, Call, EndpointKey, Endpoints } from './api.ts';
import type { Problem } from './http.ts';
import { parseTolerantly } from './parse-tolerantly.ts';

/** Thrown if the server reported a problem (RFC 9457), did not respond, or responded in an unknown format. */
export class ApiError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export interface ClientOptions {
  /** Base URL, for example "http://127.0.0.1:8080"; empty on the server's own pages. */
  server: string;
  token: string | null;
  /** Response schemas; the page loads them in parallel with the first call. */
  loadEndpoints(): Promise<Endpoints>;
  unreachable(error: unknown): Pick<Problem, 'title' | 'detail' | 'remedy'>;
  /** Problem for an error status without details. */
  withoutReason(status: number): Pick<Problem, 'title' | 'detail' | 'remedy'>;
  /** Ignores fields of a response that are not in its schema, for example from a newer server. */
  isTolerant?: true;
  /** The error to throw if a response does not match its schema. */
  unknownForm(error: z.ZodError): Error;
}

/** An endpoint without a JSON body may accept a file: `type` is its content type, a zip by default. */
export type Sending<Key extends EndpointKey> = (
  | Call<Key>
  | (Call<Key>['body'] extends string | undefined
      ? Omit<Call<Key>, 'body'> & { file: Blob | string; type?: string }
      : never)
) & { headers?: Readonly<Record<string, string>>; signal?: AbortSignal };

type Rest<Key extends EndpointKey> =
  Record<never, never> extends Call<Key> ? [sending?: Sending<Key>] : [sending: Sending<Key>];

/** Endpoints whose response contains the cursor of the next page. */
type PagedKey = {
  [Key in EndpointKey]: 'next' extends keyof Answer<Key> ? Key : never;
}[EndpointKey];

interface AnySending {
  params?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
  file?: Blob | string;
  type?: string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

export type ApiClient = ReturnType<typeof makeApiClient>;

/** Calls the endpoints of the API and parses their responses. Throws ApiError. */
export function makeApiClient(options: ClientOptions) {
  const fetchOk = async (key: EndpointKey, sending: AnySending): Promise<Response> => {
    const { params, query, body, file, type = 'application/zip', signal } = sending;
    const headers = new Headers({ accept: '*/*', ...sending.headers });
    const init: RequestInit = { method: key.slice(0, key.indexOf(' ')), headers, signal: signal ?? null };
    if (options.token !== null) headers.set('authorization', `Bearer ${options.token}`);
    if (file !== undefined || body !== undefined) {
      headers.set('content-type', file === undefined ? 'application/json' : type);
      init.body = file ?? JSON.stringify(body);
    }
    const fail = (status: number, why: Pick<Problem, 'title' | 'detail' | 'remedy'>): never => {
      throw new ApiError({ type: 'about:blank', status, issues: [], ...why });
    };
    const response = await fetch(options.server + addressOf(key, { params, query }), init).catch(
      (error: unknown) => fail(0, options.unreachable(error)),
    );
    if (response.ok) return response;
    // Loaded with the endpoints, so that a page does not load this module before its first call.
    const { problemSchema } = await import('./http.ts');
    const problem = problemSchema.safeParse(parseJson(await response.text()));
    if (problem.success) throw new ApiError(problem.data);
    return fail(response.status, options.withoutReason(response.status));
  };
  const client = {
    server: options.server,
    async call<Key extends EndpointKey>(key: Key, ...[sending]: Rest<Key>): Promise<Answer<Key>> {
      const [response, endpoints] = await Promise.all([
        fetchOk(key, (sending ?? {}) as AnySending),
        options.loadEndpoints(),
      ]);
      const { response: schema }: Endpoint = endpoints[key];
      if (!schema) return undefined as Answer<Key>;
      const answer = parseJson(await response.text());
      const parsed = options.isTolerant ? parseTolerantly(schema, answer) : schema.safeParse(answer);
      if (!parsed.success) throw options.unknownForm(parsed.error);
      return parsed.data as Answer<Key>;
    },
    /** Returns the unparsed body, for files. */
    file: <Key extends EndpointKey>(key: Key, ...[sending]: Rest<Key>): Promise<Response> =>
      fetchOk(key, (sending ?? {}) as AnySending),
    /** Iterates over the pages of a list. */
    async *pages<Key extends PagedKey>(key: Key, ...[sending]: Rest<Key>): AsyncGenerator<Answer<Key>> {
      const first = (sending ?? {}) as AnySending;
      const cursor = oldestFirst.has(key) ? 'after' : 'before';
      for (let next: number | undefined; ; ) {
        const asked = next === undefined ? first : { ...first, query: { ...first.query, [cursor]: next } };
        const page = await client.call(key, ...([asked] as unknown as Rest<Key>));
        yield page;
        next = (page as { next?: number }).next;
        if (next === undefined) return;
      }
    },
    /** Reads an experiment with all its trials and runs, including the pages that the first response omits. */
    async wholeExperiment(id: number): Promise<Answer<'GET /experiments/{id}'>> {
      const params = { id };
      const { nextRuns, nextTrials, ...experiment } = await client.call('GET /experiments/{id}', { params });
      const runs = [...experiment.runs];
      if (nextRuns !== undefined) {
        const query = { after: nextRuns };
        for await (const { items } of client.pages('GET /experiments/{id}/rows', { params, query })) {
          runs.push(...items);
        }
      }
      const trials = [...(experiment.plan?.trials ?? [])];
      if (nextTrials !== undefined) {
        const query = { after: nextTrials };
        for await (const { items } of client.pages('GET /experiments/{id}/trials', { params, query })) {
          trials.push(...items);
        }
      }
      return { ...experiment, plan: experiment.plan && { ...experiment.plan, trials }, runs };
    },
  };
  return client;
}

/** Lists that return the oldest entries first and are read with `after`. */
const oldestFirst: ReadonlySet<EndpointKey> = new Set([
  'GET /experiments/{id}/rows',
  'GET /experiments/{id}/trials',
]);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
