import * as z from 'zod';
import { experimentStatuses, runStatuses } from '../domain/runs/statuses.ts';

/** What a webhook can be told, in the order in which it is offered. */
export const webhookEvents = [
  'experiment.started',
  'experiment.done',
  'experiment.failed',
  'experiment.cancelled',
  'experiment.paused',
  'run.failed',
  'run.flagged',
  'device.offline',
  'device.online',
] as const;

export type WebhookEvent = (typeof webhookEvents)[number];

/** In words, on page and command line. */
export const webhookEventLabels: Readonly<Record<WebhookEvent, string>> = {
  'experiment.started': 'Experiment started',
  'experiment.done': 'Experiment done',
  'experiment.failed': 'Experiment ended with failed trials',
  'experiment.cancelled': 'Experiment cancelled or stopped',
  'experiment.paused': 'Experiment paused',
  'run.failed': 'Run failed',
  'run.flagged': 'Run flagged',
  'device.offline': 'Device offline',
  'device.online': 'Device online again',
};

/** Address of a page of this server; null where nobody has said how it is reached. */
const link = z.url().nullable();

/** The body of every delivery, signed as Standard Webhooks 1.0.0 has it. What an event is not about is null. */
export const webhookMessageSchema = z.strictObject({
  schemaVersion: z.literal(1),
  /** "test" comes only when somebody asks for it. */
  event: z.enum([...webhookEvents, 'test']),
  /** When it happened, ISO 8601 in UTC. */
  time: z.iso.datetime(),
  experiment: z
    .strictObject({
      id: z.int(),
      name: z.string(),
      status: z.enum(experimentStatuses),
      /** Trials of the plan, and what became of them so far. */
      trials: z.int(),
      done: z.int(),
      failed: z.int(),
      flagged: z.int(),
      /** The leading finding on its response, as every page tells it; null before there is one. */
      finding: z.string().nullable(),
      link,
    })
    .nullable(),
  run: z
    .strictObject({
      id: z.int(),
      trialNumber: z.int(),
      block: z.int(),
      attempt: z.int(),
      /** The levels that its treatment is made of. */
      treatment: z.string(),
      status: z.enum(runStatuses),
      flagged: z.boolean(),
      /** Why it failed, or the verdicts that flagged it. */
      reasons: z.array(z.string()),
      link,
    })
    .nullable(),
  device: z
    .strictObject({
      id: z.string(),
      name: z.string(),
      testbedId: z.string(),
      testbed: z.string(),
      online: z.boolean(),
      link,
    })
    .nullable(),
});

/** How the last attempt to reach the address went. */
export const deliverySchema = z.strictObject({
  event: z.enum([...webhookEvents, 'test']),
  /** Unix ms. */
  at: z.number(),
  /** 1 for the first attempt. */
  attempt: z.int(),
  ok: z.boolean(),
  /** HTTP status; null where there was no answer. */
  status: z.int().nullable(),
  /** Why it failed, in words; null where it did not. */
  reason: z.string().nullable(),
  /** What can be done about it; null where nothing has to be. */
  remedy: z.string().nullable(),
  /** Unix ms of the next attempt; null where there is none. */
  nextAt: z.number().nullable(),
});

export const webhookSchema = z.strictObject({
  id: z.int(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  /** Switched off it is told nothing. */
  enabled: z.boolean(),
  createdAt: z.number(),
  /** Deliveries that wait for their next attempt. */
  pending: z.int(),
  /** null before the first one. */
  lastDelivery: deliverySchema.nullable(),
});

const eventsSchema = z
  .array(z.enum(webhookEvents))
  .min(1, 'needs at least one event')
  .transform((events) => webhookEvents.filter((event) => events.includes(event)));
const maxUrl = 2000;
const url = z
  .string()
  .trim()
  .min(1, 'needs an address')
  .max(maxUrl, `is longer than ${maxUrl.toLocaleString('en')} characters`);

export const createWebhookSchema = z.strictObject({
  url,
  events: eventsSchema,
  /** "whsec_" and 24 to 64 bytes in base64; left out, one is made and shown in the answer, once. */
  secret: z.string().trim().max(200).optional(),
});

export const patchWebhookSchema = z.strictObject({
  url: url.optional(),
  events: eventsSchema.optional(),
  enabled: z.boolean().optional(),
});

export const createdWebhookSchema = z.strictObject({
  webhook: webhookSchema,
  /** Never told again; null where the caller brought it. */
  secret: z.string().nullable(),
});

export const webhookListSchema = z.strictObject({ items: z.array(webhookSchema) });

export type WebhookMessage = z.infer<typeof webhookMessageSchema>;
export type WebhookDelivery = z.infer<typeof deliverySchema>;
export type Webhook = z.infer<typeof webhookSchema>;
export type CreateWebhook = z.input<typeof createWebhookSchema>;
export type PatchWebhook = z.input<typeof patchWebhookSchema>;
export type CreatedWebhook = z.infer<typeof createdWebhookSchema>;
