import {
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
  webhookEventLabels,
  webhookEvents,
} from '@mqttlab/shared/messages/webhooks';
import { formatDateTime } from '../../ui/format.ts';

/** Returns "Every event", or the names of the events. */
export function describeEvents(events: readonly WebhookEvent[]): string {
  if (events.length === webhookEvents.length) return 'Every event';
  return events
    .map((event, index) => (index === 0 ? webhookEventLabels[event] : lowerFirst(webhookEventLabels[event])))
    .join(', ');
}

const maxNameLetters = 36;

interface DeliveryWords {
  kind: 'passed' | 'warning' | 'failed';
  /** "Accepted, 22 Nov 14:05:11". */
  headline: string;
  /** The event, or the reason for a failed delivery with a remedy. */
  detail: string;
}

/**
 * Describes the status of the last delivery. A pending retry is a warning, an abandoned delivery a failure.
 */
export function describeDelivery(delivery: WebhookDelivery, nowMs: number): DeliveryWords {
  const { event, at, ok, status, reason, remedy, attempt, nextAt } = delivery;
  const when = formatDateTime(at, nowMs);
  const what = event === 'test' ? 'Test' : webhookEventLabels[event];
  if (ok) return { kind: 'passed', headline: `Accepted, ${when}`, detail: `${what}, status ${status}` };
  const words = [`${what}: ${reason ?? 'it failed'}.`, remedy].filter(Boolean).join(' ');
  if (nextAt === null) return { kind: 'failed', headline: `Not accepted, ${when}`, detail: words };
  const next = `Attempt ${attempt} failed; the next is at ${formatDateTime(nextAt, nowMs)}.`;
  return { kind: 'warning', headline: `Not accepted, ${when}`, detail: `${words} ${next}` };
}

/** Returns a short form for a tooltip: "example.org/hooks/mqttlab", truncated if long. */
export function nameWebhook(url: string): string {
  const { host, pathname } = new URL(url);
  const name = pathname === '/' ? host : host + pathname;
  return name.length > maxNameLetters ? `${name.slice(0, maxNameLetters - 1)}…` : name;
}

/** Returns true for an unencrypted address. */
export function isPlain(url: string): boolean {
  return /^\s*http:/i.test(url);
}

export function describePending({ enabled, pending }: Pick<Webhook, 'enabled' | 'pending'>): string | null {
  if (!enabled || pending === 0) return null;
  return pending === 1 ? '1 message waiting' : `${pending} messages waiting`;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
