import { reportSchema } from '@mqttlab/shared/domain/report/report';
import { makeDocumentHtml } from '@mqttlab/shared/figures/document/document-html';
import * as z from 'zod';
import type { ReportQuestion } from '../../analysis/report/report-service.ts';
import { notFound } from '../../base/errors.ts';
import { fileNameOf } from '../file-name.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';
import { untilGone } from '../until-gone.ts';

const params = z.strictObject({ id: idParam });
const query = z.strictObject({
  /** "true" takes flagged runs in. */
  flagged: z.enum(['true', 'false']).default('false'),
});
const progressSchema = z.strictObject({
  state: z.enum(['idle', 'working', 'ready']),
  done: z.int(),
  all: z.int(),
});

/** What an experiment showed, worked out once and kept. */
export function reportRoutes({ experiments, reports }: ApiParts): Route[] {
  const questionOf = (id: number, flagged: 'true' | 'false'): ReportQuestion => ({
    experimentId: id,
    takesFlagged: flagged === 'true',
  });
  return [
    route({
      method: 'get',
      path: '/experiments/{id}/report',
      summary: 'Read the report of an experiment; worked out on the first call, ended by hanging up',
      access: 'viewer',
      params,
      query,
      response: { kind: 'json', status: 200, schema: reportSchema },
      handle: ({ params: { id }, query: { flagged }, caller }) =>
        untilGone(caller.request.socket, (signal) => reports.get(questionOf(id, flagged), signal)),
    }),
    route({
      method: 'get',
      path: '/experiments/{id}/report.json',
      summary: 'Save the numbers of the report as JSON',
      access: 'viewer',
      params,
      query,
      response: { kind: 'file', contentType: 'application/json' },
      handle: async ({ params: { id }, query: { flagged }, caller }) => {
        const report = await untilGone(caller.request.socket, (signal) =>
          reports.get(questionOf(id, flagged), signal),
        );
        return {
          name: fileNameOf(`E-${id}-report`, report.experiment.name, 'json'),
          contentType: 'application/json',
          body: `${JSON.stringify(report, null, 1)}\n`,
        };
      },
    }),
    route({
      method: 'get',
      path: '/experiments/{id}/report.html',
      summary: 'Save the report as one HTML file that needs nothing else',
      access: 'viewer',
      params,
      query,
      response: { kind: 'file', contentType: 'text/html' },
      handle: async ({ params: { id }, query: { flagged }, caller }) => {
        const report = await untilGone(caller.request.socket, (signal) =>
          reports.get(questionOf(id, flagged), signal),
        );
        return {
          name: fileNameOf(`E-${id}-report`, report.experiment.name, 'html'),
          contentType: 'text/html',
          body: makeDocumentHtml(report),
        };
      },
    }),
    route({
      method: 'get',
      path: '/experiments/{id}/report/progress',
      summary: 'How far the report of an experiment is',
      access: 'viewer',
      params,
      query,
      response: { kind: 'json', status: 200, schema: progressSchema },
      handle: ({ params: { id }, query: { flagged } }) => {
        if (!experiments.find(id)) throw notFound('experiment', id);
        return reports.progress(questionOf(id, flagged));
      },
    }),
  ];
}
