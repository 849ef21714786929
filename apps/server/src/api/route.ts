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
import type { Request } from 'express';
import type * as z from 'zod';
import type { EncodedJson } from '../base/encoded-json.ts';
import { ProblemError, unprocessable } from '../base/errors.ts';
import type { Identity } from './guards/identify.ts';

/** A file to download or display. */
export interface FileAnswer {
  /** Without folders; null displays it in the browser. */
  name: string | null;
  /** A text, bytes, or a stream that is sent while it is produced. */
  body: string | Uint8Array | Readable;
}

export interface Caller {
  /** null for open routes without a login. */
  identity: Identity | null;
  request: IncomingMessage;
  /** Aborted when the client disconnects before the end of the answer. */
  signal: AbortSignal;
  setHeader(name: string, value: string): void;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type ResultOf<Key extends EndpointKey> = Endpoints[Key] extends { file: string }
  ? FileAnswer
  : Endpoints[Key] extends { response: z.ZodType }
    ? Answer<Key> | EncodedJson
    : // biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers with nothing returns nothing
      void;

/** One route with its handler. */
export interface Route extends Endpoint {
  key: EndpointKey;
  method: Method;
  /** In OpenAPI syntax without the prefix: "/experiments/{id}". */
  path: string;
  run(request: Request, caller: Caller): Promise<unknown>;
}

type HandlerInput<Key extends EndpointKey> = Asked<Key> & { caller: Caller };

/** Handles one route of the table; its input is parsed by the route's schemas. */
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
        body: parseInput(endpoint.body, request.body, 'body'),
      };
      return handle({ ...(asked as Asked<Key>), caller });
    },
  };
}

/** Returns the parsed value, or throws a problem that names every field: 400 for path and query, 422 for the body. */
function parseInput(
  schema: z.ZodType | undefined,
  value: unknown,
  where: 'path' | 'query' | 'header' | 'body',
): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error);
  if (where === 'body') throw unprocessable('The request body is not valid.', issues);
  const [first] = issues;
  throw new ProblemError({
    status: 400,
    detail: `The ${where} of this address is not valid. ${first?.field ?? ''}: ${first?.reason ?? ''}.`,
    remedy: first?.remedy ?? 'Correct the address.',
    issues,
  });
}
