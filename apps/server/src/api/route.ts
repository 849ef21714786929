import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { issuesOf } from '@mqttlab/shared/domain/issue';
import {
  type Answer,
  type Asked,
  type EndpointKey,
  type Endpoints,
  endpoints,
} from '@mqttlab/shared/messages/api';
import type { Endpoint } from '@mqttlab/shared/messages/api/endpoint';
import type { Request, Response } from 'express';
import type * as z from 'zod';
import { compress, type EncodedJson, type Encoding } from '../base/encoded-json.ts';
import { ProblemError, unprocessable } from '../base/errors.ts';
import type { Identity } from './guards/identify.ts';

/** A file to download or display. */
export interface FileAnswer {
  /** File name without folders; null displays the file in the browser. */
  name: string | null;
  /** Text, bytes, or a stream that is sent while it is being produced. */
  body: string | Uint8Array | Readable;
}

export interface Caller {
  /** Caller of the route; null for open routes without a login. */
  identity: Identity | null;
  request: IncomingMessage;
  /** Aborted if the client disconnects before the response is complete. */
  signal: AbortSignal;
  setHeader(name: string, value: string): void;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type ResultOf<Key extends EndpointKey> = Endpoints[Key] extends { file: string }
  ? FileAnswer
  : Endpoints[Key] extends { response: z.ZodType }
    ? Answer<Key> | EncodedJson
    : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a response body returns nothing
      void;

/** One route with its handler. */
export interface Route extends Endpoint {
  key: EndpointKey;
  method: Method;
  /** Path in OpenAPI syntax without the prefix: "/experiments/{id}". */
  path: string;
  run(request: Request, caller: Caller): Promise<unknown>;
}

type HandlerInput<Key extends EndpointKey> = Asked<Key> & { caller: Caller };

/** Handles one route of the table; the route's schemas parse its input. */
export function on<Key extends EndpointKey>(
  key: Key,
  handle: (asked: HandlerInput<Key>) => ResultOf<Key> | Promise<ResultOf<Key>>,
): Route {
  const endpoint: Endpoint = endpoints[key];
  const [method = '', path = ''] = key.split(' ');
  return {
    ...endpoint,
    key,
    method: method.toLowerCase() as Method,
    path,
    async run(request, caller) {
      const asked = {
        params: parseInput(endpoint.params, request.params, 'path'),
        query: parseInput(endpoint.query, request.query, 'query'),
        headers: parseInput(endpoint.headers, request.headers, 'header'),
        body: endpoint.body && parseBody(endpoint.body, request.body),
      };
      return handle({ ...(asked as Asked<Key>), caller });
    },
  };
}

/** Returns the parsed value, or throws a problem with status 400 that names the first error. */
function parseInput(
  schema: z.ZodType | undefined,
  value: unknown,
  where: 'path' | 'query' | 'header',
): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error);
  const [first] = issues;
  throw new ProblemError({
    status: 400,
    detail: `The ${where} of this address is not valid. ${first?.field ?? ''}: ${first?.reason ?? ''}.`,
    remedy: first?.remedy ?? 'Correct the address.',
    issues,
  });
}

/** Returns the parsed body, or throws a problem with status 422 that names every field. */
export function parseBody<Body>(schema: z.ZodType<Body>, value: unknown): Body {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw unprocessable('The request body is not valid.', issuesOf(parsed.error));
}

/** Smaller responses fit into one packet without compression. */
const minBytes = 1400;

/** Returns the client's preferred encoding among the supported encodings. */
export function chooseEncoding(request: Request): Encoding | null {
  const best = request.acceptsEncodings('br', 'gzip', 'identity');
  return best === 'br' || best === 'gzip' ? best : null;
}

/** Sends a text, compressed if possible. */
export async function sendText(request: Request, response: Response, text: string): Promise<void> {
  const body = Buffer.from(text, 'utf8');
  const encoding = body.length >= minBytes ? chooseEncoding(request) : null;
  response.vary('Accept-Encoding');
  if (encoding) response.set('Content-Encoding', encoding);
  response.send(encoding ? await compress(body, encoding) : body);
}

/** Sends encoded JSON without an ETag, because hashing megabytes would block the event loop. */
export async function sendEncoded(request: Request, response: Response, json: EncodedJson): Promise<void> {
  const encoding = json.bytes.length >= minBytes ? chooseEncoding(request) : null;
  response.vary('Accept-Encoding');
  if (encoding) response.set('Content-Encoding', encoding);
  const body = encoding ? await json.in(encoding) : json.bytes;
  response.set('Content-Length', String(body.length));
  response.end(body);
}

/** Returns a file name such as "E-12-tls-or-not.yaml": plain ASCII, valid on every system and in headers. */
export function fileNameOf(id: string, title: string, ending: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return `${words ? `${id}-${words}` : id}.${ending}`;
}
