import type { RequestListener } from 'node:http';
import { apiPrefix } from '@mqttlab/shared/messages/address';
import express, { type Request, type Response } from 'express';
import { ProblemError } from '../base/errors.ts';
import { makeOnce } from './answer-once.ts';
import { makeApiRouter } from './api-router.ts';
import { makeAudit } from './audit.ts';
import { checkHost, type HostRules, setSecurityHeaders } from './guards/guards.ts';
import { makeErrorHandler } from './handle-error.ts';
import { makeHealth } from './health.ts';
import type { ApiParts } from './parts.ts';
import { makeRoutes } from './routes/routes.ts';
import { previewShare } from './share-page.ts';
import { servePage } from './static-page.ts';

export interface HttpAppOptions {
  parts: ApiParts;
  hosts: HostRules;
  /** Folder of the built page. */
  pageFolder: string;
  /** null when ready, else what is missing. */
  findUnready(): string | null;
  /** Tests hold every answer against its schema. */
  checkAnswers?: boolean;
}

export interface HttpApp {
  listener: RequestListener;
  stop(): void;
}

/** Everything that speaks HTTP: guards, health, API, page, and problem documents for the rest. */
export function makeHttpApp({
  parts,
  hosts,
  pageFolder,
  findUnready,
  checkAnswers,
}: HttpAppOptions): HttpApp {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(setSecurityHeaders, checkHost(hosts));
  const health = makeHealth({ parts, findUnready });
  app.use(health.router);
  app.use(apiPrefix, useEarlierNames);
  app.use(
    apiPrefix,
    makeApiRouter({
      routes: makeRoutes(parts),
      gate: parts.gate,
      once: makeOnce(parts.idempotency),
      audit: makeAudit(parts),
      checkAnswers: checkAnswers ?? false,
    }),
  );
  app.get('/api/docs', (_request, response) => response.redirect('/docs/api/'));
  app.use('/api', refuseApi);
  app.get('/s/:token', previewShare(parts, pageFolder));
  app.use(servePage(pageFolder), refuseRest);
  const handleError = makeErrorHandler(parts.logger);
  return {
    listener: (request, response) =>
      app(request as Request, response as Response, (error) =>
        handleError(error, request as Request, response as Response),
      ),
    stop: health.stop,
  };
}

/** Addresses of before studies had their name. */
function useEarlierNames(request: Request, _response: Response, next: () => void): void {
  request.url = request.url
    .replace(/^\/protocol(-runs|s)(?=[/?]|$)/, (_all, end) => (end === 's' ? '/studies' : '/study-runs'))
    .replace(/^(\/studies\/[^/?]+)\/protocol\.(json|yaml)/, '$1/study.$2');
  next();
}

function refuseApi(): never {
  throw new ProblemError({
    status: 404,
    detail: 'There is no such version of the API.',
    remedy: `Use ${apiPrefix}; ${apiPrefix}/openapi.json lists every address.`,
  });
}

function refuseRest(): never {
  throw new ProblemError({
    status: 404,
    detail: 'There is nothing at this address.',
    remedy: 'Start at the front page.',
  });
}
