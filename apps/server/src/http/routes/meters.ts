import { meterQuerySchema, meterUploadSchema } from '@mqttlab/shared/messages/meter';
import * as z from 'zod';
import { takeMeter } from '../../analysis/meters/store-meter.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';

/** What somebody measured with a meter of their own. */
export function meterRoutes(parts: ApiParts): Route[] {
  return [
    route({
      method: 'post',
      path: '/runs/{id}/meter',
      summary: 'Put the CSV of a power meter beside a run, aligned by time',
      access: 'operator',
      params: z.strictObject({ id: idParam }),
      query: meterQuerySchema,
      body: z.string(),
      bodyType: 'text/csv',
      response: { kind: 'json', status: 201, schema: meterUploadSchema },
      handle: ({ params: { id }, query, body }) => takeMeter(parts, id, { query, text: body }),
    }),
  ];
}
