import { createHash, randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import { apiPrefix } from '@mqttlab/shared/messages/address';
import type { Problem } from '@mqttlab/shared/messages/http';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Logger } from 'pino';
import * as z from 'zod';
import { EncodedJson, stringifyInSlices } from '../base/encoded-json.ts';
import { conflict, ProblemError } from '../base/errors.ts';
import type { IdempotencyStore } from '../store/settings/access-store.ts';
import { StorageError, type StorageErrorCode } from '../store/storage-error.ts';
import { isUnreadableRow } from '../store/table.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import { type Audit, makeAudit } from './audit.ts';
import type { Gate } from './guards/gate.ts';
import { makeSessionCookie } from './guards/identify.ts';
import { checkHost, type HostRules, setSecurityHeaders } from './guards/request-origin.ts';
import { makeHealth } from './health.ts';
import { makeAsyncApi, makeOpenApi } from './openapi.ts';
import { type FileAnswer, on, type Route, sendEncoded, sendText } from './route.ts';
import { accessRoutes } from './routes/access.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { clientMatrixRoutes, compareRoutes, reportRoutes } from './routes/compare.ts';
import { dataFileRoutes } from './routes/data-files.ts';
import { deviceRoutes } from './routes/devices.ts';
import { experimentRoutes } from './routes/experiments.ts';
import { exportRoutes } from './routes/exports.ts';
import { ownStudyRoutes } from './routes/own-studies.ts';
import { runRoutes } from './routes/runs.ts';
import { previewShare, shareRoutes } from './routes/shares.ts';
import { studyRoutes } from './routes/studies.ts';
import { testbedRoutes } from './routes/testbeds.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import type { Services } from './services.ts';
import { servePage } from './static-page.ts';

/** Returns all routes under /api/v1. */
export function makeRoutes(services: Services, webhooks: WebhookService): Route[] {
  const routes = [
    // Before "/experiments/{id}", because that route would parse "import-bundle" as an invalid number.
    ...dataFileRoutes(services),
    ...experimentRoutes(services),
    ...exportRoutes(services),
    ...runRoutes(services),
    ...clientMatrixRoutes(services),
    ...compareRoutes(services),
    ...reportRoutes(services),
    ...testbedRoutes(services),
    ...deviceRoutes(services),
    ...shareRoutes(services),
    ...webhookRoutes(webhooks),
    // Before "/studies/{id}/...", because that route would parse "import" as an id.
    ...ownStudyRoutes(services),
    ...studyRoutes(services),
    ...catalogueRoutes(services),
    ...accessRoutes(services),
    on('GET /asyncapi.json', () => makeAsyncApi(services.system.version.version)),
  ];
  const openApi = on('GET /openapi.json', () => document);
  const all = [...routes, openApi];
  const document: Record<string, unknown> = { ...makeOpenApi(all, services.system.version.version) };
  return all;
}

interface HttpAppOptions {
  services: Services;
  webhooks: WebhookService;
  hosts: HostRules;
  /** Folder of the built page. */
  pageFolder: string;
  /** Returns null if the server is ready, otherwise the missing part. */
  findUnready(): string | null;
  /** Tests check every response against its schema. */
  checkAnswers?: boolean;
}

interface HttpApp {
  listener: RequestListener;
  stop(): void;
}

/** Creates the HTTP server: guards, health, API, page, and problem documents for all other requests. */
export function makeHttpApp({
  services,
  webhooks,
  hosts,
  pageFolder,
  findUnready,
  checkAnswers,
}: HttpAppOptions): HttpApp {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(setSecurityHeaders, checkHost(hosts));
  const health = makeHealth({ services, findUnready });
  app.use(health.router);
  app.use(
    apiPrefix,
    makeApiRouter({
      routes: makeRoutes(services, webhooks),
      gate: services.gate,
      once: makeOnce(services.stores.idempotency),
      audit: makeAudit(services),
      checkAnswers: checkAnswers ?? false,
    }),
  );
  app.get('/api/docs', (_request, response) => response.redirect('/docs/api/'));
  app.use('/api', refuseApi);
  app.get('/s/:token', previewShare(services, pageFolder));
  app.use(servePage(pageFolder), refuseRest);
  const handleError = makeErrorHandler(services.system.logger);
  return {
    listener: (request, response) =>
      app(request as Request, response as Response, (error) =>
        handleError(error, request as Request, response as Response),
      ),
    stop: health.stop,
  };
}

function refuseApi(): never {
  throw new ProblemError({
    status: 404,
    detail: 'This version of the API does not exist.',
    remedy: `Use ${apiPrefix}; ${apiPrefix}/openapi.json lists every address.`,
  });
}

function refuseRest(): never {
  throw new ProblemError({
    status: 404,
    detail: 'There is nothing at this address.',
    remedy: 'Go to the start page.',
  });
}

interface Asked {
  /** Key chosen by the caller; if undefined, the work is always done. */
  key: string | undefined;
  /** Method and actual path: "POST /experiments". */
  route: string;
  body: unknown;
}

/**
 * Executes a request that creates something only once per Idempotency-Key
 * (draft-ietf-httpapi-idempotency-key-header). A repeated request gets the first response again. A failed
 * request is executed again. Rejects with a problem if a pending request uses the key (409) or the key was
 * used for another request (422).
 */
function makeOnce(store: IdempotencyStore) {
  const working = new Set<string>();
  return async (asked: Asked, work: () => Promise<unknown>): Promise<unknown> => {
    const { key, route, body } = asked;
    if (key === undefined) return work();
    const requestHash = createHash('sha256')
      .update(JSON.stringify(body) ?? '')
      .digest('hex');
    const known = store.findFirstAnswer(key, route);
    if (known?.requestHash === requestHash) return known.answer;
    if (known) {
      throw new ProblemError({
        status: 422,
        detail: 'This Idempotency-Key was used for another request.',
        remedy: 'Use a new key for each new request.',
      });
    }
    const name = `${route} ${key}`;
    if (working.has(name)) {
      throw conflict(
        'The first request with this Idempotency-Key is still being processed.',
        'Try again soon.',
      );
    }
    working.add(name);
    try {
      const answer = await work();
      store.saveFirstAnswer({ key, route, requestHash, answer });
      return answer;
    } finally {
      working.delete(name);
    }
  };
}

type Once = ReturnType<typeof makeOnce>;

type BodyType = 'application/json' | 'application/yaml' | 'text/csv';

/** Maximum body size; meter files are large. */
const limitBytes: Readonly<Record<BodyType, number>> = {
  'application/json': 1_000_000,
  'application/yaml': 1_000_000,
  'text/csv': 32_000_000,
};
const wanted: Readonly<Record<BodyType, string>> = {
  'application/json': 'Send JSON with "Content-Type: application/json".',
  'application/yaml': 'Send the file itself with "Content-Type: application/yaml".',
  'text/csv': 'Send the file with "Content-Type: text/csv".',
};

interface ApiRouterOptions {
  routes: readonly Route[];
  gate: Gate;
  once: Once;
  audit: Audit;
  /** Checks every response against its schema. For tests only, because it takes time. */
  checkAnswers: boolean;
}

/** Registers the route table with Express; unknown addresses get a 404 or 405 problem. */
function makeApiRouter(options: ApiRouterOptions): Router {
  const { routes, gate } = options;
  const router = express.Router();
  const readers: Readonly<Record<BodyType, RequestHandler>> = {
    'application/json': express.json({ limit: limitBytes['application/json'], type: 'application/json' }),
    'application/yaml': express.text({ limit: limitBytes['application/yaml'], type: 'application/yaml' }),
    'text/csv': express.text({ limit: limitBytes['text/csv'], type: 'text/csv' }),
  };
  const paths = Map.groupBy(routes, ({ path }) => path);
  for (const [path, entries] of paths) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1');
    for (const entry of entries) {
      // Callers without permission receive no validation errors.
      const admit: RequestHandler = (request, response, next) => {
        gate.require(entry, request);
        const rotated = gate.rotate(request);
        if (rotated !== null) response.append('Set-Cookie', makeSessionCookie(rotated, request));
        next();
      };
      const types: readonly BodyType[] = entry.takesDocument
        ? ['application/json', 'application/yaml']
        : [entry.bodyType ?? 'application/json'];
      const wrap = entry.takesDocument ? [wrapDocument] : [];
      const readBody = entry.body ? [requireBody(types), ...types.map((type) => readers[type]), ...wrap] : [];
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
        signal: disconnectSignal(response),
        setHeader: (name, value) => response.append(name, value),
      });
      // After a login, this is the caller that has just logged in.
      note?.(identity ?? gate.identityOf(request), answer);
      return answer;
    };
    const key = route.isOnce ? request.get('idempotency-key') : undefined;
    // A key belongs to one client, so it never returns the response to another client's request.
    const called = `${identity?.name ?? ''} ${request.method} ${request.path}`;
    const answer = await once({ key, route: called, body: request.body }, work);
    if (checkAnswers) route.response?.parse(answer instanceof EncodedJson ? parseBytes(answer) : answer);
    await sendAnswer({ request, response, route }, answer);
  };
}

function disconnectSignal(response: Response): AbortSignal {
  const disconnected = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded)
      disconnected.abort(conflict('The client closed the connection.', 'Try again.'));
  });
  return disconnected.signal;
}

function parseBytes({ bytes }: EncodedJson): unknown {
  return JSON.parse(Buffer.from(bytes).toString('utf8'));
}

/** Puts a document that is itself the body into `text`, so that both forms have the same errors. */
const wrapDocument: RequestHandler = (request, _response, next) => {
  const body: unknown = request.body;
  if (typeof body === 'string') request.body = { text: body };
  else if (isDocument(body)) request.body = textOf(body);
  next();
};

/** Returns a body as text. An object nested too deeply is returned unchanged; the route refuses it. */
function textOf(body: unknown): unknown {
  try {
    return { text: JSON.stringify(body) };
  } catch {
    return body;
  }
}

/** Returns true for an object that is not a body with `text` and `start`. */
function isDocument(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || 'text' in body) return false;
  return Object.keys(body).some((name) => name !== 'start');
}

function requireBody(types: readonly BodyType[]): RequestHandler {
  return (request, _response, next) => {
    // body-parser treats an empty body as {}.
    const empty = request.is([...types]) === null || request.headers['content-length'] === '0';
    if (!empty && request.is([...types])) {
      next();
      return;
    }
    const got = request.headers['content-type'] ?? 'none';
    throw new ProblemError({
      status: empty ? 400 : 415,
      detail: empty ? 'The request has no body.' : `The body is of type ${got.slice(0, 100)}.`,
      remedy: types.map((type) => wanted[type]).join(' Or: '),
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

/** Writes a handler's result in the form that its route declares. */
async function sendAnswer(
  { request, response, route }: { request: Request; response: Response; route: Route },
  answer: unknown,
): Promise<void> {
  response.set('Cache-Control', 'no-store');
  if (route.file !== undefined) {
    const { name, body } = answer as FileAnswer;
    if (name !== null) response.set('Content-Disposition', `attachment; filename="${name}"`);
    response.type(route.file);
    if (typeof body === 'string') await sendText(request, response, body);
    else if (body instanceof Uint8Array) response.send(Buffer.from(body));
    else await pipeline(body, response);
    return;
  }
  if (route.response === undefined) {
    response.status(204).end();
    return;
  }
  response.status(route.status ?? 200).type('application/json; charset=utf-8');
  if (answer instanceof EncodedJson) await sendEncoded(request, response, answer);
  else await sendText(request, response, await stringifyInSlices(answer));
}

/** RFC 9457. */
function sendProblem(response: Response, problem: Problem): void {
  response
    .status(problem.status)
    .set('Cache-Control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .send(Buffer.from(JSON.stringify(problem)));
}

/** Problems with the request itself, as Express and body-parser report them. */
const requestErrorSchema = z.object({
  status: z.int().min(400).max(499),
  type: z.string().optional(),
  /** Maximum size of a body of this type, in bytes. */
  limit: z.number().optional(),
});

const remedies: Readonly<Record<string, string>> = {
  'entity.parse.failed': 'Send valid JSON.',
  'encoding.unsupported': 'Send the body uncompressed, or with gzip, deflate or br.',
  'charset.unsupported': 'Send UTF-8.',
};

/** Statuses of storage errors for which a retry may succeed after the disk is repaired. */
const storageStatuses: Readonly<Partial<Record<StorageErrorCode, number>>> = {
  full: 507,
  busy: 503,
  'read-only': 503,
  gone: 503,
};

type ErrorHandler = (error: unknown, request: Request, response: Response) => void;

/**
 * Converts every thrown error into a problem document. Only errors in the server are logged and become 5xx.
 */
function makeErrorHandler(logger: Logger): ErrorHandler {
  return (error, request, response) => {
    if (response.headersSent) {
      logger.warn({ err: error, path: request.path }, 'an answer was truncated');
      response.destroy();
      return;
    }
    const { problem, headers } = toProblem(error);
    if (problem.status >= 500 && !(error instanceof ProblemError)) {
      const id = randomUUID();
      logger.error({ err: error, id, method: request.method, path: request.path }, problem.detail);
      if (problem.status === 500) problem.remedy = `${problem.remedy} The server's log lists it under ${id}.`;
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
      detail: `${error.message} Nothing from this request was stored.`,
      remedy: error.remedy,
    });
  }
  if (isUnreadableRow(error)) {
    return new ProblemError({ status: 409, detail: error.message, remedy: error.remedy });
  }
  const known = requestErrorSchema.safeParse(error);
  if (known.success && error instanceof Error) {
    const { status, type, limit } = known.data;
    if (type === 'entity.too.large' && limit !== undefined) return tooLarge(limit);
    return new ProblemError({
      status,
      detail: type === 'entity.parse.failed' ? `The body is not JSON: ${error.message}.` : error.message,
      remedy: remedies[type ?? ''] ?? 'Correct the request and send it again.',
    });
  }
  return new ProblemError({
    status: 500,
    detail: 'Something went wrong inside the server.',
    remedy: 'Try again.',
  });
}
