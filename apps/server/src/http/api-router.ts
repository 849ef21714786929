import { apiPrefix } from '@mqttlab/shared/messages/address';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { EncodedJson } from '../base/encoded-json.ts';
import { ProblemError } from '../base/errors.ts';
import { sendAnswer } from './answer.ts';
import type { Once } from './answer-once.ts';
import type { Audit } from './audit.ts';
import type { Gate } from './guards/gate.ts';
import { makeSessionCookie } from './guards/session-cookie.ts';
import type { Route } from './route.ts';

type BodyType = 'application/json' | 'text/csv';

/** Largest body that is read; a meter writes much. */
const limitBytes: Readonly<Record<BodyType, number>> = {
  'application/json': 1_000_000,
  'text/csv': 32_000_000,
};
const wanted: Readonly<Record<BodyType, string>> = {
  'application/json': 'Send JSON with "Content-Type: application/json".',
  'text/csv': 'Send the file with "Content-Type: text/csv".',
};

export interface ApiRouterOptions {
  routes: readonly Route[];
  gate: Gate;
  once: Once;
  audit: Audit;
  /** Checks every answer against its schema: tests only, for it costs time. */
  checkAnswers: boolean;
}

/** Registers the route table with Express; what it does not know becomes a 404 or 405 problem. */
export function makeApiRouter(options: ApiRouterOptions): Router {
  const { routes, gate } = options;
  const router = express.Router();
  const readers: Readonly<Record<BodyType, RequestHandler>> = {
    'application/json': express.json({ limit: limitBytes['application/json'], type: 'application/json' }),
    'text/csv': express.text({ limit: limitBytes['text/csv'], type: 'text/csv' }),
  };
  const paths = Map.groupBy(routes, ({ path }) => path);
  for (const [path, entries] of paths) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1');
    for (const entry of entries) {
      // Who may not call gets no word about what is wrong with the body.
      const admit: RequestHandler = (request, response, next) => {
        gate.require(entry, request);
        const rotated = gate.rotate(request);
        if (rotated !== null) response.append('Set-Cookie', makeSessionCookie(rotated, request));
        next();
      };
      const bodyType = entry.bodyType ?? 'application/json';
      const readBody = entry.body ? [requireBody(bodyType), readers[bodyType]] : [];
      router[entry.method](pattern, admit, ...readBody, handlerOf(entry, options));
    }
    router.all(pattern, refuseMethod(entries));
  }
  router.use(refusePath);
  return router;
}

function handlerOf(route: Route, { gate, once, audit, checkAnswers }: ApiRouterOptions): RequestHandler {
  return async (request, response) => {
    const identity = gate.identityOf(request);
    const work = async () => {
      const note = audit.begin({ route, request });
      const answer = await route.run(request, {
        identity,
        request,
        setHeader: (name, value) => response.append(name, value),
      });
      // Of a login it is who has logged in.
      note?.(identity ?? gate.identityOf(request), answer);
      return answer;
    };
    const key = route.isOnce ? request.get('idempotency-key') : undefined;
    // Nobody is given what somebody else's request was answered with.
    const called = `${identity?.name ?? ''} ${request.method} ${request.path}`;
    const answer = await once({ key, route: called, body: request.body }, work);
    if (checkAnswers) route.response?.parse(answer instanceof EncodedJson ? parseBytes(answer) : answer);
    await sendAnswer({ request, response, route }, answer);
  };
}

function parseBytes({ bytes }: EncodedJson): unknown {
  return JSON.parse(Buffer.from(bytes).toString('utf8'));
}

function requireBody(type: BodyType): RequestHandler {
  return (request, _response, next) => {
    // body-parser would take a body of no length for {}.
    const empty = request.is(type) === null || request.headers['content-length'] === '0';
    if (!empty && request.is(type)) {
      next();
      return;
    }
    const got = request.headers['content-type'] ?? 'none';
    throw new ProblemError({
      status: empty ? 400 : 415,
      detail: empty ? 'The request has no body.' : `The body is of type ${got.slice(0, 100)}.`,
      remedy: wanted[type],
    });
  };
}

function refuseMethod(entries: readonly Route[]): RequestHandler {
  const allowed = entries.map(({ method }) => method.toUpperCase()).join(', ');
  return (request) => {
    throw new ProblemError({
      status: 405,
      detail: `${request.method} is not allowed at this address.`,
      remedy: `Use ${allowed}.`,
      headers: { Allow: allowed },
    });
  };
}

function refusePath(request: Request): never {
  throw new ProblemError({
    status: 404,
    detail: `There is nothing at ${request.originalUrl.slice(0, 200)}.`,
    remedy: `${apiPrefix}/openapi.json lists every address.`,
  });
}
