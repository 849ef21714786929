import * as z from 'zod';
import { makeOpenApi } from './openapi.ts';
import { route } from './parse-input.ts';
import type { ApiParts } from './parts.ts';
import type { Route } from './route.ts';
import { accessRoutes } from './routes/access.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { compareRoutes } from './routes/compare.ts';
import { dataFileRoutes } from './routes/data-files.ts';
import { deviceSettingsRoutes } from './routes/devices/device-settings.ts';
import { deviceRoutes } from './routes/devices/devices.ts';
import { externalBrokerRoutes } from './routes/devices/external-brokers.ts';
import { testbedServiceRoutes } from './routes/devices/remote-devices.ts';
import { setAsideRoutes } from './routes/devices/set-aside.ts';
import { testbedRoutes } from './routes/devices/testbeds.ts';
import { experimentActionRoutes } from './routes/experiment-actions.ts';
import { experimentRoutes } from './routes/experiments.ts';
import { exportRoutes } from './routes/exports.ts';
import { meterRoutes } from './routes/meters.ts';
import { ownStudyRoutes } from './routes/own-studies.ts';
import { planRoutes } from './routes/plan-files.ts';
import { reportRoutes } from './routes/reports.ts';
import { runNoteRoutes } from './routes/run-notes.ts';
import { runRoutes } from './routes/runs.ts';
import { shareRoutes } from './routes/shares.ts';
import { studyRoutes } from './routes/studies.ts';
import { studyRunRoutes } from './routes/study-runs.ts';
import { viewRoutes } from './routes/views.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** Every address under /api/v1. */
export function makeRoutes(parts: ApiParts): Route[] {
  const routes = [
    // Before "/experiments/{id}", which would take "import" for a number that is wrong.
    ...planRoutes(parts),
    ...dataFileRoutes(parts),
    ...experimentRoutes(parts),
    ...experimentActionRoutes(parts),
    ...exportRoutes(parts),
    ...runRoutes(parts),
    ...runNoteRoutes(parts),
    ...meterRoutes(parts),
    ...compareRoutes(parts),
    ...reportRoutes(parts),
    ...testbedRoutes(parts),
    ...deviceRoutes(parts),
    ...deviceSettingsRoutes(parts),
    ...setAsideRoutes(parts),
    ...testbedServiceRoutes(parts),
    ...externalBrokerRoutes(parts),
    ...shareRoutes(parts),
    ...viewRoutes(parts),
    ...webhookRoutes(parts),
    // Before "/studies/{id}/...", which would take "import" for an id.
    ...ownStudyRoutes(parts),
    ...studyRoutes(parts),
    ...studyRunRoutes(parts),
    ...catalogueRoutes(parts),
    ...accessRoutes(parts),
  ];
  const openApi = route({
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    access: 'viewer',
    response: { kind: 'json', status: 200, schema: z.record(z.string(), z.unknown()) },
    handle: () => document,
  });
  const all = [...routes, openApi];
  const document: Record<string, unknown> = { ...makeOpenApi(all, parts.version.version) };
  return all;
}
