import {
  createdWebhookSchema,
  createWebhookSchema,
  deliverySchema,
  patchWebhookSchema,
  webhookListSchema,
  webhookSchema,
} from '@mqttlab/shared/messages/webhooks';
import * as z from 'zod';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';

const params = z.strictObject({ id: idParam });
const one = { kind: 'json', status: 200, schema: webhookSchema } as const;

/** Addresses that are told what happens. */
export function webhookRoutes({ webhooks }: ApiParts): Route[] {
  return [
    route({
      method: 'get',
      path: '/webhooks',
      summary: 'List webhooks with their last delivery, without their secrets',
      access: 'administrator',
      response: { kind: 'json', status: 200, schema: webhookListSchema },
      handle: () => ({ items: webhooks.list() }),
    }),
    route({
      method: 'post',
      path: '/webhooks',
      summary: 'Add a webhook; a secret that is made for it is shown this once',
      access: 'administrator',
      body: createWebhookSchema,
      response: { kind: 'json', status: 201, schema: createdWebhookSchema },
      // A page that is not of this server does not get this far.
      handle: ({ body, caller }) => webhooks.create(body, caller.request.headers.origin ?? null),
    }),
    route({
      method: 'patch',
      path: '/webhooks/{id}',
      summary: 'Change the address or events of a webhook, or switch it on or off',
      access: 'administrator',
      params,
      body: patchWebhookSchema,
      response: one,
      handle: ({ params: { id }, body }) => webhooks.change(id, body),
    }),
    route({
      method: 'post',
      path: '/webhooks/{id}/test',
      summary: 'Send a test message now, and say how it went',
      access: 'administrator',
      params,
      response: { kind: 'json', status: 200, schema: deliverySchema },
      handle: ({ params: { id } }) => webhooks.test(id),
    }),
    route({
      method: 'post',
      path: '/webhooks/{id}/restore',
      summary: 'Take the removal of a webhook back, within ten minutes',
      access: 'administrator',
      params,
      response: one,
      handle: ({ params: { id } }) => webhooks.restore(id),
    }),
    route({
      method: 'delete',
      path: '/webhooks/{id}',
      summary: 'Remove a webhook; it is told nothing more',
      access: 'administrator',
      params,
      response: { kind: 'nothing' },
      handle: ({ params: { id } }) => webhooks.remove(id),
    }),
  ];
}
