import {
  deliverySchema,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
  webhookEvents,
} from '@mqttlab/shared/messages/webhooks';
import * as z from 'zod';
import type { Database, Params } from '../database.ts';
import type { SecretBox } from '../secret-box.ts';
import { secretUses } from '../secret-box.ts';
import { countOf, defineRow, defineTable, flag, json, type RowOf, type StoreOptions } from '../table.ts';

const events = json(z.array(z.enum(webhookEvents)));

/** Data for delivery to an address, whose secret never leaves the server. */
const targets = defineTable('webhooks', {
  id: z.int(),
  url: z.string(),
  events,
  secret: z.string(),
  /** Origin of the page when the webhook was added, for links. */
  origin: z.string().nullable(),
});
export type WebhookTarget = RowOf<typeof targets>;

const webhooks = defineTable(
  'webhooks',
  {
    id: z.int(),
    url: z.string(),
    events,
    enabled: flag,
    createdAt: z.number(),
    pending: z.int(),
    lastDelivery: json(deliverySchema).nullable(),
  },
  { pending: '(SELECT count(*) FROM webhook_deliveries WHERE webhook_id = webhooks.id)' },
);

/** A pending message to one address. */
const deliveries = defineRow({
  id: z.int(),
  webhookId: z.int(),
  messageId: z.string(),
  body: z.string(),
  /** Attempts so far. */
  attempts: z.int(),
  /** Unix ms. */
  dueAt: z.number(),
});
export type PendingDelivery = RowOf<typeof deliveries>;

export type WebhookStore = ReturnType<typeof makeWebhookStore>;

/** Stores webhooks and their pending messages. */
export function makeWebhookStore(
  database: Database,
  { secrets, now = Date.now }: StoreOptions & { secrets: SecretBox },
) {
  const present = (where: string, params?: Params): Webhook[] =>
    webhooks(database).list(`WHERE removed_at IS NULL AND ${where} ORDER BY id`, params);
  const reachable = (where: string, params?: Params): WebhookTarget[] =>
    targets(database)
      .list(`WHERE removed_at IS NULL AND ${where}`, params)
      .flatMap((target) => {
        // Without the secret, which is lost with the key file, a receiver could not verify messages.
        const secret = secrets.open(target.secret, secretUses.webhookSecret);
        return secret === null ? [] : [{ ...target, secret }];
      });
  const find = (id: number): Webhook | null => present('id = :id', { id })[0] ?? null;
  const forgetPending = (id: number): void => {
    database.run('DELETE FROM webhook_deliveries WHERE webhook_id = :id', { id });
  };
  return {
    createWebhook({ secret: plain, ...webhook }: Omit<WebhookTarget, 'id'>): Webhook {
      const secret = secrets.seal(plain, secretUses.webhookSecret);
      const more = { enabled: 1, created_at: now() };
      const made = find(targets(database).insert({ ...webhook, secret }, more));
      if (!made) throw new Error('a webhook disappeared while it was being written');
      return made;
    },
    /** Returns webhooks in the order of creation, without removed webhooks. */
    listWebhooks: () => present('1'),
    findWebhook: find,
    findTarget: (id: number) => reachable('id = :id', { id })[0] ?? null,
    /** Returns the enabled webhooks for this event. */
    listTargets: (event: WebhookEvent) =>
      reachable('enabled = 1').filter((target) => target.events.includes(event)),
    /** Changes a webhook. When it is disabled, its pending messages are deleted. */
    updateWebhook(id: number, change: Partial<Pick<Webhook, 'url' | 'events' | 'enabled'>>): void {
      database.transaction(() => {
        webhooks(database).update({ id }, change);
        if (change.enabled === false) forgetPending(id);
      });
    },
    /** Removes a webhook, which can be restored until it is purged. Returns false if it does not exist. */
    removeWebhook: (id: number): boolean =>
      database.run('UPDATE webhooks SET removed_at = :now WHERE id = :id AND removed_at IS NULL', {
        id,
        now: now(),
      }).changes > 0,
    /** Restores a webhook. Returns false if it was not removed. */
    restoreWebhook: (id: number): boolean =>
      database.run('UPDATE webhooks SET removed_at = NULL WHERE id = :id AND removed_at IS NOT NULL', { id })
        .changes > 0,
    /** Permanently deletes webhooks that were removed before that time, with their secrets. */
    purgeWebhooks(removedBefore: number): void {
      database.run('DELETE FROM webhooks WHERE removed_at < :removedBefore', { removedBefore });
    },
    /**
     * Adds a message. Returns the number of dropped older messages: an address keeps the newest `maxPending`
     * messages.
     */
    enqueue: (
      { webhookId, messageId, body }: Pick<PendingDelivery, 'webhookId' | 'messageId' | 'body'>,
      maxPending: number,
    ): number =>
      database.transaction(() => {
        database.run(
          `INSERT INTO webhook_deliveries (webhook_id, message_id, body, attempts, due_at)
           VALUES (:webhookId, :messageId, :body, 0, :now)`,
          { webhookId, messageId, body, now: now() },
        );
        const sql = 'SELECT count(*) AS count FROM webhook_deliveries WHERE webhook_id = :webhookId';
        const surplus = countOf(database, sql, { webhookId }) - maxPending;
        if (surplus <= 0) return 0;
        return database.run(
          `DELETE FROM webhook_deliveries WHERE id IN (
             SELECT id FROM webhook_deliveries WHERE webhook_id = :webhookId ORDER BY id LIMIT :surplus)`,
          { webhookId, surplus },
        ).changes;
      }),
    /** Returns the first message for each address, earliest first. */
    listNextDeliveries: (): PendingDelivery[] =>
      database
        .all(
          `SELECT ${deliveries.columns}
           FROM (SELECT *, row_number() OVER (PARTITION BY webhook_id ORDER BY due_at, id) AS place
                 FROM webhook_deliveries
                 WHERE webhook_id IN (SELECT id FROM webhooks WHERE enabled = 1 AND removed_at IS NULL))
           WHERE place = 1 ORDER BY due_at, id`,
        )
        .map(deliveries.parse),
    /** Deletes a message that was delivered or abandoned. */
    endDelivery(id: number): void {
      database.run('DELETE FROM webhook_deliveries WHERE id = :id', { id });
    },
    postponeDelivery(id: number, { attempts, dueAt }: Pick<PendingDelivery, 'attempts' | 'dueAt'>): void {
      const sql = 'UPDATE webhook_deliveries SET attempts = :attempts, due_at = :dueAt WHERE id = :id';
      database.run(sql, { id, attempts, dueAt });
    },
    noteDelivery(webhookId: number, lastDelivery: WebhookDelivery): void {
      webhooks(database).update({ id: webhookId }, { lastDelivery });
    },
  };
}
