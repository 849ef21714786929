import { createViewSchema, viewSchema, viewSchemaVersion } from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { notFound } from '../../base/errors.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';

/** Views of the compare page, kept under a name. */
export function viewRoutes({ views }: ApiParts): Route[] {
  return [
    route({
      method: 'get',
      path: '/views',
      summary: 'List saved views, newest first',
      access: 'viewer',
      response: { kind: 'json', status: 200, schema: z.strictObject({ items: z.array(viewSchema) }) },
      handle: () => ({ items: views.list() }),
    }),
    route({
      method: 'post',
      path: '/views',
      summary: 'Keep a view of the compare page under a name',
      access: 'operator',
      body: createViewSchema,
      response: { kind: 'json', status: 201, schema: viewSchema },
      handle: ({ body }) => views.create({ ...body, schemaVersion: viewSchemaVersion }),
    }),
    route({
      method: 'delete',
      path: '/views/{id}',
      summary: 'Forget a saved view',
      access: 'operator',
      params: z.strictObject({ id: idParam }),
      response: { kind: 'nothing' },
      handle: ({ params: { id } }) => {
        if (!views.remove(id)) throw notFound('view', id);
      },
    }),
  ];
}
