import { makeClientMatrixDraft, readClientMatrix } from '@mqttlab/shared/catalogue/client-matrix';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { makeCsv } from '../../base/csv.ts';
import { notFound } from '../../base/errors.ts';
import { personOf } from '../guards/identify.ts';
import { on, type Route } from '../route.ts';
import { fileNameOf } from '../send.ts';
import type { Services } from '../services.ts';
import { createExperiment, recordOf } from '../start-experiment.ts';

const header = [
  'client',
  'security',
  'suite_group',
  'suite',
  'mqtt_version',
  'transport',
  'outcome',
  'reason',
  'run',
  'started_at',
  'tried_on',
];

/** What each client can do, found by trying: an experiment like any other, read in another way. */
export function clientMatrixRoutes(services: Services): Route[] {
  return [
    on('POST /client-matrix', ({ body, caller }) => {
      const testbedId = body.testbedId ?? services.devices.testbeds.list()[0]?.testbedId ?? '';
      const capabilities = services.devices.testbeds.capabilities(testbedId);
      if (!capabilities) throw notFound('testbed', testbedId);
      const draft = makeClientMatrixDraft(makeTestbedView(capabilities));
      return createExperiment(services, draft, { by: personOf(caller.identity) });
    }),
    on('GET /experiments/{id}/clients.csv', async ({ params: { id } }) => {
      const { name, plan, status, startedAt } = recordOf(services, id, { live: false });
      const cells = readClientMatrix({ plan, status, runs: await services.stores.runs.allOf(id) });
      const at = startedAt === null ? null : new Date(startedAt).toISOString();
      const rows = cells.map((cell) => [
        cell.client,
        cell.security,
        cell.suiteGroup,
        cell.suite,
        cell.mqttVersion,
        cell.transport,
        cell.outcome,
        cell.reason,
        cell.runId,
        at,
        plan?.question ?? null,
      ]);
      return { name: fileNameOf(`E-${id}-clients`, name, 'csv'), body: makeCsv(header, rows) };
    }),
  ];
}
