import { makeAsyncApi, makeOpenApi } from '../openapi.ts';
import type { ApiParts } from '../parts.ts';
import { on, type Route } from '../route.ts';
import { accessRoutes } from './access.ts';
import { catalogueRoutes } from './catalogue.ts';
import { clientMatrixRoutes } from './client-matrix.ts';
import { compareRoutes } from './compare.ts';
import { dataFileRoutes } from './data-files.ts';
import { deviceRoutes } from './devices.ts';
import { experimentRoutes } from './experiments.ts';
import { exportRoutes } from './exports.ts';
import { ownStudyRoutes } from './own-studies.ts';
import { reportRoutes } from './reports.ts';
import { runRoutes } from './runs.ts';
import { shareRoutes } from './shares.ts';
import { studyRoutes } from './studies.ts';
import { testbedRoutes } from './testbeds.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every address under /api/v1. */
export function makeRoutes(parts: ApiParts): Route[] {
  const routes = [
    // Before "/experiments/{id}", which would take "import-bundle" for a number that is wrong.
    ...dataFileRoutes(parts),
    ...experimentRoutes(parts),
    ...exportRoutes(parts),
    ...runRoutes(parts),
    ...clientMatrixRoutes(parts),
    ...compareRoutes(parts),
    ...reportRoutes(parts),
    ...testbedRoutes(parts),
    ...deviceRoutes(parts),
    ...shareRoutes(parts),
    ...webhookRoutes(parts),
    // Before "/studies/{id}/...", which would take "import" for an id.
    ...ownStudyRoutes(parts),
    ...studyRoutes(parts),
    ...catalogueRoutes(parts),
    ...accessRoutes(parts),
    on('GET /asyncapi.json', () => makeAsyncApi(parts.version.version)),
  ];
  const openApi = on('GET /openapi.json', () => document);
  const all = [...routes, openApi];
  const document: Record<string, unknown> = { ...makeOpenApi(all, parts.version.version) };
  return all;
}
