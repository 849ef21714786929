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

/** A file to save or look at. */
export interface FileAnswer {
  /** Without folders; null shows it in the browser. */
  name: string | null;
  /** A text, bytes, or a stream that is sent as it grows. */
  body: string | Uint8Array | Readable;
}

export interface Caller {
  /** null for open routes without a login. */
  identity: Identity | null;
  request: IncomingMessage;
  setHeader(name: string, value: string): void;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type ResultOf<Key extends EndpointKey> = Endpoints[Key] extends { file: string }
  ? FileAnswer
  : Endpoints[Key] extends { response: z.ZodType }
    ? Answer<Key> | EncodedJson
    : // biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers with nothing returns nothing
      void;

/** One address with what answers it. */
export interface Route extends Endpoint {
  key: EndpointKey;
  method: Method;
  /** As OpenAPI writes it, behind the prefix: "/experiments/{id}". */
  path: string;
  run(request: Request, caller: Caller): Promise<unknown>;
}

type HandlerInput<Key extends EndpointKey> = Asked<Key> & { caller: Caller };

/** Answers an address of the table; what came in is parsed by its schemas. */
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

/** What the schema makes of it, or a problem that names every field: 400 for path and query, 422 for the body. */
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
    detail: `The ${where} of this address is wrong. ${first?.field ?? ''}: ${first?.reason ?? ''}.`,
    remedy: first?.remedy ?? 'Correct the address.',
    issues,
  });
}
