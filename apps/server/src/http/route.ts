import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request } from 'express';
import type * as z from 'zod';
import type { AccessRole } from '../store/settings/token-store.ts';

/** Who may call: a token role, or anybody. */
export type RouteAccess = AccessRole | 'open';
export type BodyType = 'application/json' | 'text/csv';
type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A file to save or look at. */
export interface FileAnswer {
  /** Without folders; null shows it in the browser. */
  name: string | null;
  contentType: string;
  /** A text, bytes, or a stream that is sent as it grows. */
  body: string | Uint8Array | Readable;
}

/** Schemas in and out, and what a caller must be; the handler gets parsed values. */
export interface RouteSpec<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R> {
  method: RouteMethod;
  /** As OpenAPI writes it, behind the prefix: "/experiments/{id}". */
  path: string;
  summary: string;
  access: RouteAccess;
  params?: P;
  query?: Q;
  body?: B;
  /** JSON unless it says otherwise; a CSV comes as one text. */
  bodyType?: BodyType;
  response: RouteResponse<R>;
  handle(input: {
    params: z.output<P>;
    query: z.output<Q>;
    body: z.output<B>;
    caller: Caller;
  }): R | Promise<R>;
}

type RouteResponse<R> =
  | { kind: 'json'; status: 200 | 201; schema: z.ZodType<R> }
  | { kind: 'file'; contentType: string }
  | { kind: 'nothing' };

interface Caller {
  /** null for open routes without a login. */
  role: AccessRole | null;
  request: IncomingMessage;
  setHeader(name: string, value: string): void;
}

/** One entry of the route table: the same data serves Express and the OpenAPI document. */
export interface Route {
  method: RouteMethod;
  path: string;
  summary: string;
  access: RouteAccess;
  params: z.ZodType | null;
  query: z.ZodType | null;
  body: z.ZodType | null;
  bodyType: BodyType;
  response: RouteResponse<never> | { kind: 'json'; status: 200 | 201; schema: z.ZodType };
  run(request: Request, caller: Caller): Promise<unknown>;
}

type Parse = <T extends z.ZodType>(
  schema: T,
  value: unknown,
  where: 'path' | 'query' | 'body',
) => z.output<T>;

/** Makes a table entry; `parse` turns what came into typed values or throws the problem that says what is wrong. */
export function makeRouteFactory(parse: Parse) {
  return <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R>(
    spec: RouteSpec<P, Q, B, R>,
  ): Route => ({
    method: spec.method,
    path: spec.path,
    summary: spec.summary,
    access: spec.access,
    params: spec.params ?? null,
    query: spec.query ?? null,
    body: spec.body ?? null,
    bodyType: spec.bodyType ?? 'application/json',
    response: spec.response as Route['response'],
    run: async (request, caller) =>
      spec.handle({
        params: (spec.params ? parse(spec.params, request.params, 'path') : undefined) as z.output<P>,
        query: (spec.query ? parse(spec.query, request.query, 'query') : undefined) as z.output<Q>,
        body: (spec.body ? parse(spec.body, request.body, 'body') : undefined) as z.output<B>,
        caller,
      }),
  });
}
