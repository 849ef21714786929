import type { WebhookService } from '../../webhooks/webhook-service.ts';
import { makeAsyncApi, makeOpenApi } from '../openapi.ts';
import { on, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { accessRoutes } from './access.ts';
import { catalogueRoutes } from './catalogue.ts';
import { clientMatrixRoutes, compareRoutes, reportRoutes } from './compare.ts';
import { dataFileRoutes } from './data-files.ts';
import { deviceRoutes } from './devices.ts';
import { experimentRoutes } from './experiments.ts';
import { exportRoutes } from './exports.ts';
import { ownStudyRoutes } from './own-studies.ts';
import { runRoutes } from './runs.ts';
import { shareRoutes } from './shares.ts';
import { studyRoutes } from './studies.ts';
import { testbedRoutes } from './testbeds.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every address under /api/v1. */
export function makeRoutes(services: Services, webhooks: WebhookService): Route[] {
  const routes = [
    // Before "/experiments/{id}", which would parse "import-bundle" as an invalid number.
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
    // Before "/studies/{id}/...", which would parse "import" as an id.
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
