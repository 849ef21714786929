import * as z from 'zod';
import { experimentStatuses, runStatuses } from '../domain/runs/statuses.ts';
import { formatCount } from '../format/number.ts';

/** Webhook events, in display order. */
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

/** Labels for the events. */
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

/** URL of a page on this server; null if the server's public URL is not configured. */
const link = z.url().nullable();

/** Body of every delivery, signed according to Standard Webhooks 1.0.0. Fields unrelated to the event are null. */
export const webhookMessageSchema = z.strictObject({
  schemaVersion: z.literal(1),
  /** "test" is only sent on request. */
  event: z.enum([...webhookEvents, 'test']),
  /** Time of the event, ISO 8601 in UTC. */
  time: z.iso.datetime(),
  experiment: z
    .strictObject({
      id: z.int(),
      name: z.string(),
      status: z.enum(experimentStatuses),
      /** Trials of the plan and their outcomes so far. */
      trials: z.int(),
      done: z.int(),
      failed: z.int(),
      flagged: z.int(),
      /** The leading finding for the experiment's response; null until there is one. */
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
      /** Levels of the run's treatment. */
      treatment: z.string(),
      status: z.enum(runStatuses),
      flagged: z.boolean(),
      /** Reason for the failure, or the verdicts that flagged the run. */
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

/** The latest delivery attempt. */
export const deliverySchema = z.strictObject({
  event: z.enum([...webhookEvents, 'test']),
  /** Unix ms. */
  at: z.number(),
  /** 1 for the first attempt. */
  attempt: z.int(),
  ok: z.boolean(),
  /** HTTP status; null without a response. */
  status: z.int().nullable(),
  /** Reason why the attempt failed; null if it succeeded. */
  reason: z.string().nullable(),
  /** Remedy; null if none is needed. */
  remedy: z.string().nullable(),
  /** Unix ms of the next attempt; null if there is none. */
  nextAt: z.number().nullable(),
});

export const webhookSchema = z.strictObject({
  id: z.int(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  /** A disabled webhook receives no events. */
  enabled: z.boolean(),
  createdAt: z.number(),
  /** Number of deliveries waiting for their next attempt. */
  pending: z.int(),
  /** null before the first delivery. */
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
  .max(maxUrl, `is longer than ${formatCount(maxUrl)} characters`);

export const createWebhookSchema = z.strictObject({
  url,
  events: eventsSchema,
  /** "whsec_" and 24 to 64 bytes in base64; if omitted, a secret is generated and returned only once. */
  secret: z.string().trim().max(200).optional(),
});

export const patchWebhookSchema = z.strictObject({
  url: url.optional(),
  events: eventsSchema.optional(),
  enabled: z.boolean().optional(),
});

export const createdWebhookSchema = z.strictObject({
  webhook: webhookSchema,
  /** Not returned again; null if the caller provided it. */
  secret: z.string().nullable(),
});

export const webhookListSchema = z.strictObject({ items: z.array(webhookSchema) });

export type WebhookMessage = z.infer<typeof webhookMessageSchema>;
export type WebhookDelivery = z.infer<typeof deliverySchema>;
export type Webhook = z.infer<typeof webhookSchema>;
export type CreateWebhook = z.input<typeof createWebhookSchema>;
export type PatchWebhook = z.input<typeof patchWebhookSchema>;
export type CreatedWebhook = z.infer<typeof createdWebhookSchema>;
