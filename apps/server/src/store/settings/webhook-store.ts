import {
  deliverySchema,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
  webhookEvents,
} from '@mqttlab/shared/messages/webhooks';
import * as z from 'zod';
import type { Database } from '../database.ts';
import type { StoreOptions } from '../experiments/experiment-store.ts';
import { countSchema, flag, json } from '../row.ts';
import { secretUses } from './seal-secrets.ts';
import type { SecretBox } from './secret-box.ts';

/** What is needed to reach an address; its secret never leaves the server. */
export interface WebhookTarget {
  id: number;
  url: string;
  events: WebhookEvent[];
  secret: string;
  /** How the page was reached when it was added: what links begin with. */
  origin: string | null;
}

/** A message on its way to one address. */
export interface PendingDelivery {
  id: number;
  webhookId: number;
  messageId: string;
  body: string;
  /** Made so far. */
  attempts: number;
  /** Unix ms. */
  dueAt: number;
}

export interface WebhookStore {
  create(webhook: Omit<WebhookTarget, 'id'>): Webhook;
  /** In the order in which they were added, without those that were removed. */
  list(): Webhook[];
  find(id: number): Webhook | null;
  target(id: number): WebhookTarget | null;
  /** Those that are on and want this event. */
  targetsOf(event: WebhookEvent): WebhookTarget[];
  /** Switched off, it forgets what it was to be told. */
  update(id: number, change: { url?: string; events?: WebhookEvent[]; enabled?: boolean }): void;
  /** False where there is none. It can be restored until it is purged. */
  remove(id: number): boolean;
  /** False where none was removed. */
  restore(id: number): boolean;
  /** For good, with their secrets: those that were removed before that time. */
  purge(removedBefore: number): void;
  /** How many older ones had to make room: an address keeps the newest `maxPending`. */
  enqueue(delivery: Pick<PendingDelivery, 'webhookId' | 'messageId' | 'body'>, maxPending: number): number;
  /** The first one of each address, the earliest first. */
  listNext(): PendingDelivery[];
  /** Ends it: delivered, or given up. */
  settle(id: number): void;
  postpone(id: number, next: Pick<PendingDelivery, 'attempts' | 'dueAt'>): void;
  noteDelivery(webhookId: number, delivery: WebhookDelivery): void;
}

const eventsJson = json(z.array(z.enum(webhookEvents)));
const targetSchema = z.object({
  id: z.int(),
  url: z.string(),
  events: eventsJson,
  secret: z.string(),
  origin: z.string().nullable(),
});
const targetColumns = 'id, url, events_json AS events, secret, origin';

const rowSchema = z.object({
  id: z.int(),
  url: z.string(),
  events: eventsJson,
  enabled: flag,
  createdAt: z.number(),
  pending: z.int(),
  lastDelivery: json(deliverySchema).nullable(),
});
const columns = `id, url, events_json AS events, enabled, created_at AS createdAt,
  (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = webhooks.id) AS pending,
  last_delivery_json AS lastDelivery`;

const pendingSchema = z.object({
  id: z.int(),
  webhookId: z.int(),
  messageId: z.string(),
  body: z.string(),
  attempts: z.int(),
  dueAt: z.number(),
});

/** Webhooks and what they are still to be told. */
export function makeWebhookStore(
  database: Database,
  options: StoreOptions & { secrets: SecretBox },
): WebhookStore {
  const { secrets } = options;
  const now = options.now ?? Date.now;
  const rows = (where: string, params = {}) =>
    database
      .all(`SELECT ${columns} FROM webhooks WHERE removed_at IS NULL AND ${where} ORDER BY id`, params)
      .map((row) => rowSchema.parse(row));
  const targets = (where: string, params = {}) =>
    database
      .all(`SELECT ${targetColumns} FROM webhooks WHERE removed_at IS NULL AND ${where}`, params)
      .map((row) => targetSchema.parse(row))
      .flatMap((target) => {
        // One whose secret went with the key file is told nothing: it could not know who tells it.
        const secret = secrets.open(target.secret, secretUses.webhookSecret);
        return secret === null ? [] : [{ ...target, secret }];
      });
  const find = (id: number): Webhook | null => rows('id = :id', { id })[0] ?? null;
  const forgetPending = (id: number): void => {
    database.run('DELETE FROM webhook_deliveries WHERE webhook_id = :id', { id });
  };
  return {
    create({ url, events, secret, origin }) {
      const { id } = database.run(
        `INSERT INTO webhooks (url, events_json, secret, origin, enabled, created_at)
         VALUES (:url, :events, :secret, :origin, 1, :now)`,
        {
          url,
          origin,
          events: JSON.stringify(events),
          now: now(),
          secret: secrets.seal(secret, secretUses.webhookSecret),
        },
      );
      const made = find(id);
      if (!made) throw new Error('a webhook vanished while it was written');
      return made;
    },
    list: () => rows('1'),
    find,
    target: (id) => targets('id = :id', { id })[0] ?? null,
    targetsOf: (event) => targets('enabled = 1').filter(({ events }) => events.includes(event)),
    update(id, { url, events, enabled }) {
      database.transaction(() => {
        database.run(
          `UPDATE webhooks SET url = coalesce(:url, url), events_json = coalesce(:events, events_json),
           enabled = coalesce(:enabled, enabled) WHERE id = :id`,
          {
            id,
            url: url ?? null,
            events: events ? JSON.stringify(events) : null,
            enabled: enabled === undefined ? null : Number(enabled),
          },
        );
        if (enabled === false) forgetPending(id);
      });
    },
    remove: (id) =>
      database.run('UPDATE webhooks SET removed_at = :now WHERE id = :id AND removed_at IS NULL', {
        id,
        now: now(),
      }).changes > 0,
    restore: (id) =>
      database.run('UPDATE webhooks SET removed_at = NULL WHERE id = :id AND removed_at IS NOT NULL', { id })
        .changes > 0,
    purge(removedBefore) {
      database.run('DELETE FROM webhooks WHERE removed_at < :removedBefore', { removedBefore });
    },
    ...makeQueue(database, now),
  };
}

function makeQueue(
  database: Database,
  now: () => number,
): Pick<WebhookStore, 'enqueue' | 'listNext' | 'settle' | 'postpone' | 'noteDelivery'> {
  return {
    enqueue: ({ webhookId, messageId, body }, maxPending) =>
      database.transaction(() => {
        database.run(
          `INSERT INTO webhook_deliveries (webhook_id, message_id, body, attempts, due_at)
           VALUES (:webhookId, :messageId, :body, 0, :now)`,
          { webhookId, messageId, body, now: now() },
        );
        const { count } = countSchema.parse(
          database.get('SELECT count(*) AS count FROM webhook_deliveries WHERE webhook_id = :webhookId', {
            webhookId,
          }),
        );
        if (count <= maxPending) return 0;
        return database.run(
          `DELETE FROM webhook_deliveries WHERE id IN (
             SELECT id FROM webhook_deliveries WHERE webhook_id = :webhookId ORDER BY id LIMIT :surplus)`,
          { webhookId, surplus: count - maxPending },
        ).changes;
      }),
    listNext: () =>
      database
        .all(
          `SELECT id, webhook_id AS webhookId, message_id AS messageId, body, attempts, due_at AS dueAt
           FROM (SELECT *, row_number() OVER (PARTITION BY webhook_id ORDER BY due_at, id) AS place
                 FROM webhook_deliveries
                 WHERE webhook_id IN (SELECT id FROM webhooks WHERE enabled = 1 AND removed_at IS NULL))
           WHERE place = 1 ORDER BY due_at, id`,
        )
        .map((row) => pendingSchema.parse(row)),
    settle(id) {
      database.run('DELETE FROM webhook_deliveries WHERE id = :id', { id });
    },
    postpone(id, { attempts, dueAt }) {
      database.run('UPDATE webhook_deliveries SET attempts = :attempts, due_at = :dueAt WHERE id = :id', {
        id,
        attempts,
        dueAt,
      });
    },
    noteDelivery(webhookId, delivery) {
      database.run('UPDATE webhooks SET last_delivery_json = :delivery WHERE id = :webhookId', {
        webhookId,
        delivery: JSON.stringify(delivery),
      });
    },
  };
}
