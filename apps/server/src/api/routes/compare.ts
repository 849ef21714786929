import { makeClientMatrixDraft, readClientMatrix } from '@mqttlab/shared/catalogue/client-matrix';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { viewSchemaVersion } from '@mqttlab/shared/messages/http';
import { makeCsv } from '../../base/csv.ts';
import { notFound, unprocessable } from '../../base/errors.ts';
import { selectedExperiments } from '../../results/compare.ts';
import type { ReportQuestion } from '../../results/report.ts';
import { personOf } from '../guards/identify.ts';
import { fileNameOf, on, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { createExperiment, recordOf } from '../start-experiment.ts';

/** Compares treatments across experiments. */
export function compareRoutes(services: Services): Route[] {
  return [
    on('GET /compare', ({ query, caller }) =>
      services.answers.getAnswer('comparison', query, {
        experimentIds: selectedExperiments(services.stores, query),
        signal: caller.signal,
      }),
    ),
    on('GET /compare/series', ({ query: { metric, role, flagged, ...chosen }, caller }) => {
      checkSeries(metric, role);
      const question = { metric, role, flagged: flagged === 'true' };
      return services.answers.getAnswer(
        'series',
        { query: chosen, question },
        { experimentIds: selectedExperiments(services.stores, chosen), signal: caller.signal },
      );
    }),
    on('GET /compare/window', ({ query: { metric, role, flagged, from, to, ...chosen }, caller }) => {
      checkSeries(metric, role);
      if (from > to) {
        const remedy = 'Choose an end that is not before the start.';
        throw unprocessable('The period ends before it starts.', [
          { field: 'to', reason: `${to} ms is before ${from} ms`, remedy },
        ]);
      }
      const question = { metric, role, flagged: flagged === 'true', window: { fromMs: from, toMs: to } };
      return services.answers.getAnswer(
        'window',
        { query: chosen, question },
        { experimentIds: selectedExperiments(services.stores, chosen), signal: caller.signal },
      );
    }),
    ...viewRoutes(services),
  ];
}

/** Throws a problem unless a series has both names or neither. */
function checkSeries(metric: string | undefined, role: string | undefined): void {
  if ((metric === undefined) === (role === undefined)) return;
  const [field, other] = metric === undefined ? ['metric', 'role'] : ['role', 'metric'];
  throw unprocessable('The series is not fully specified.', [
    {
      field,
      reason: `${other} alone does not identify a series`,
      remedy: `Add ${field}, or leave out both.`,
    },
  ]);
}

/** Handles saved views of the compare page. */
function viewRoutes({ stores: { views } }: Services): Route[] {
  return [
    on('GET /views', () => ({ items: views.listViews() })),
    on('POST /views', ({ body }) => views.createView({ ...body, schemaVersion: viewSchemaVersion })),
    on('DELETE /views/{id}', ({ params: { id } }) => {
      if (!views.removeView(id)) throw notFound('view', id);
    }),
  ];
}

/** Returns reports on experiments, each computed only once. */
export function reportRoutes({ stores: { experiments }, answers }: Services): Route[] {
  const questionOf = (id: number, flagged: 'true' | 'false'): ReportQuestion => ({
    experimentId: id,
    takesFlagged: flagged === 'true',
  });
  return [
    on('GET /experiments/{id}/report', ({ params: { id }, query: { flagged }, caller }) =>
      answers.getAnswer('report', questionOf(id, flagged), { experimentIds: [id], signal: caller.signal }),
    ),
    ...(['json', 'html'] as const).map((format) =>
      on(`GET /experiments/{id}/report.${format}`, async ({ params: { id }, query: { flagged }, caller }) => {
        const file = { question: questionOf(id, flagged), format };
        const { bytes } = await answers.getAnswer('reportFile', file, {
          experimentIds: [id],
          signal: caller.signal,
        });
        return {
          name: fileNameOf(`E-${id}-report`, experiments.findExperiment(id)?.name ?? '', format),
          body: bytes,
        };
      }),
    ),
    on('GET /experiments/{id}/report/progress', ({ params: { id }, query: { flagged } }) => {
      if (!experiments.findExperiment(id)) throw notFound('experiment', id);
      return answers.findAnswerProgress('report', questionOf(id, flagged), [id]);
    }),
  ];
}

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

/**
 * Returns the results of the client matrix, an ordinary experiment that tests the capabilities of each
 * client.
 */
export function clientMatrixRoutes(services: Services): Route[] {
  return [
    on('POST /client-matrix', ({ body, caller }) => {
      const testbedId = body.testbedId ?? services.devices.testbeds.listTestbeds()[0]?.testbedId ?? '';
      const capabilities = services.devices.testbeds.findTestbedCapabilities(testbedId);
      if (!capabilities) throw notFound('testbed', testbedId);
      const draft = makeClientMatrixDraft(makeTestbedView(capabilities));
      return createExperiment(services, draft, { by: personOf(caller.identity) });
    }),
    on('GET /experiments/{id}/clients.csv', async ({ params: { id } }) => {
      const { name, plan, status, startedAt } = recordOf(services, id, { live: false });
      const cells = readClientMatrix({ plan, status, runs: await services.stores.runs.listAllRuns(id) });
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
