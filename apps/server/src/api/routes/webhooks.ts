import type { WebhookService } from '../../webhooks/webhook-service.ts';
import { on, type Route } from '../route.ts';

/** Handles addresses that receive events. */
export function webhookRoutes(webhooks: WebhookService): Route[] {
  return [
    on('GET /webhooks', () => ({ items: webhooks.list() })),
    // Requests from pages of other servers have already been refused.
    on('POST /webhooks', ({ body, caller }) => webhooks.create(body, caller.request.headers.origin ?? null)),
    on('PATCH /webhooks/{id}', ({ params: { id }, body }) => webhooks.change(id, body)),
    on('POST /webhooks/{id}/test', ({ params: { id } }) => webhooks.test(id)),
    on('POST /webhooks/{id}/restore', ({ params: { id } }) => webhooks.restore(id)),
    on('DELETE /webhooks/{id}', ({ params: { id } }) => webhooks.remove(id)),
  ];
}
