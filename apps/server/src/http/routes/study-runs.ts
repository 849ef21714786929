import {
  protocolRunListSchema,
  protocolRunSchema,
  startProtocolSchema,
} from '@mqttlab/shared/messages/studies';
import * as z from 'zod';
import { viewProtocolRun } from '../../analysis/view-study-run.ts';
import { notFound } from '../../errors.ts';
import type { ProtocolRunRecord } from '../../store/experiments/study-store.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';
import { cancelProtocolRun, startProtocolRun } from '../start-study-run.ts';

const params = z.strictObject({ id: idParam });
const listed = 50;

/** Protocols as a whole: all parts started together, followed, and ended together. */
export function protocolRunRoutes(parts: ApiParts): Route[] {
  const recordOf = (id: number): ProtocolRunRecord => {
    const record = parts.protocols.findRun(id);
    if (!record) throw notFound('protocol run', id);
    return record;
  };
  return [
    route({
      method: 'get',
      path: '/protocol-runs',
      summary: `List the last ${listed} protocol runs, newest first`,
      access: 'viewer',
      response: { kind: 'json', status: 200, schema: protocolRunListSchema },
      handle: () => ({
        items: parts.protocols.listRuns(listed).map((record) => viewProtocolRun(parts, record)),
      }),
    }),
    route({
      method: 'post',
      path: '/protocol-runs',
      summary: 'Start every part of a protocol, one after the other',
      access: 'operator',
      body: startProtocolSchema,
      response: { kind: 'json', status: 201, schema: protocolRunSchema },
      handle: ({ body }) => {
        const capabilities = parts.testbeds.capabilities(body.testbedId);
        if (!capabilities) throw notFound('testbed', body.testbedId);
        return startProtocolRun(parts, body, capabilities);
      },
    }),
    route({
      method: 'get',
      path: '/protocol-runs/{id}',
      summary: 'How far each part of a protocol run is, and what it left out',
      access: 'viewer',
      params,
      response: { kind: 'json', status: 200, schema: protocolRunSchema },
      handle: ({ params: { id } }) => viewProtocolRun(parts, recordOf(id)),
    }),
    route({
      method: 'post',
      path: '/protocol-runs/{id}/actions/cancel',
      summary: 'End every part that is queued or running; what was measured is kept',
      access: 'operator',
      params,
      response: { kind: 'json', status: 200, schema: protocolRunSchema },
      handle: ({ params: { id } }) => cancelProtocolRun(parts, recordOf(id)),
    }),
  ];
}
