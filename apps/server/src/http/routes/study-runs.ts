import { startStudySchema, studyRunListSchema, studyRunSchema } from '@mqttlab/shared/messages/studies';
import * as z from 'zod';
import { viewStudyRun } from '../../analysis/studies.ts';
import { notFound } from '../../base/errors.ts';
import type { StudyRunRecord } from '../../store/experiments/study-store.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';
import { cancelStudyRun, startStudyRun } from '../start-study-run.ts';

const params = z.strictObject({ id: idParam });
const listed = 50;

/** Studies as a whole: all parts started together, followed, and ended together. */
export function studyRunRoutes(parts: ApiParts): Route[] {
  const recordOf = (id: number): StudyRunRecord => {
    const record = parts.studies.findRun(id);
    if (!record) throw notFound('study run', id);
    return record;
  };
  return [
    route({
      method: 'get',
      path: '/study-runs',
      summary: `List the last ${listed} study runs, newest first`,
      access: 'viewer',
      response: { kind: 'json', status: 200, schema: studyRunListSchema },
      handle: () => ({ items: parts.studies.listRuns(listed).map((record) => viewStudyRun(parts, record)) }),
    }),
    route({
      method: 'post',
      path: '/study-runs',
      summary: 'Start every part of a study, one after the other',
      access: 'operator',
      body: startStudySchema,
      response: { kind: 'json', status: 201, schema: studyRunSchema },
      handle: ({ body }) => {
        const capabilities = parts.testbeds.capabilities(body.testbedId);
        if (!capabilities) throw notFound('testbed', body.testbedId);
        return startStudyRun(parts, body, capabilities);
      },
    }),
    route({
      method: 'get',
      path: '/study-runs/{id}',
      summary: 'How far each part of a study run is, and what it left out',
      access: 'viewer',
      params,
      response: { kind: 'json', status: 200, schema: studyRunSchema },
      handle: ({ params: { id } }) => viewStudyRun(parts, recordOf(id)),
    }),
    route({
      method: 'post',
      path: '/study-runs/{id}/actions/cancel',
      summary: 'End every part that is queued or running; what was measured is kept',
      access: 'operator',
      params,
      response: { kind: 'json', status: 200, schema: studyRunSchema },
      handle: ({ params: { id } }) => cancelStudyRun(parts, recordOf(id)),
    }),
  ];
}
