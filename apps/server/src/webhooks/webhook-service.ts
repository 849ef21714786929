import type { LiveEvent } from '@mqttlab/shared/messages/live';
import type {
  createWebhookSchema,
  patchWebhookSchema,
  Webhook,
  WebhookDelivery,
} from '@mqttlab/shared/messages/webhooks';
import type * as z from 'zod';
import { conflict, notFound, unprocessable } from '../base/errors.ts';
import type { Testbeds } from '../base/ports.ts';
import type { ExperimentStore } from '../store/experiments/experiment-store.ts';
import type { WebhookStore } from '../store/settings/webhook-store.ts';
import { Deliverer, type DelivererOptions } from './deliverer.ts';
import { judgeAddresses, parseWebhookUrl } from './judge-address.ts';
import { makeMessage, makeTestMessage } from './make-message.ts';
import { addressesOf, resolveByDns } from './post-message.ts';
import { isSecret, makeSecret } from './sign.ts';
import { type EventWatch, type Happening, startEventWatch } from './watch-events.ts';

/** More than anybody reads. */
const maxWebhooks = 20;
/** A removed one can be brought back this long; then its secret is gone. */
const undoMs = 600_000;
const defaultAwayMs = 10_000;

export interface WebhookServiceOptions
  extends Omit<DelivererOptions, 'resolve'>,
    Partial<Pick<DelivererOptions, 'resolve'>> {
  store: WebhookStore;
  experiments: Pick<ExperimentStore, 'listActive' | 'summary' | 'find'>;
  testbeds: Pick<Testbeds, 'find'>;
  /** What is told to browsers. */
  subscribe: (listener: (event: LiveEvent) => void) => () => void;
  /** Where this server is, as far as it knows: for links; null where it does not. */
  ownOrigin: () => string | null;
  awayMs?: number;
}

/** The webhooks of this server: set up by administrators, told what happens. Problems name field and remedy. */
export interface WebhookService {
  list(): Webhook[];
  /** `origin`: how the caller reached this server, for links; null where that is not known. */
  create(
    webhook: z.output<typeof createWebhookSchema>,
    origin: string | null,
  ): Promise<{ webhook: Webhook; secret: string | null }>;
  change(id: number, change: z.output<typeof patchWebhookSchema>): Promise<Webhook>;
  /** Sends a message now, also to one that is switched off. */
  test(id: number): Promise<WebhookDelivery>;
  remove(id: number): void;
  /** Takes a removal back. */
  restore(id: number): Webhook;
  /** Begins to watch and to send what was left. Idempotent. */
  start(): void;
  /** Idempotent. */
  stop(): Promise<void>;
}

export function makeWebhookService(options: WebhookServiceOptions): WebhookService {
  const { store, experiments, nowMs, resolve = resolveByDns } = options;
  const deliverer = new Deliverer({ ...options, resolve });
  let watch: { events: EventWatch; end: () => void } | null = null;

  const tell = (happening: Happening): void => {
    for (const target of store.targetsOf(happening.event)) {
      const origin = target.origin ?? options.ownOrigin();
      const message = makeMessage(happening, { origin, findExperiment: experiments.find });
      deliverer.add(target, JSON.stringify(message));
    }
  };
  const requireOne = (id: number): Webhook => {
    const webhook = store.find(id);
    if (!webhook) throw notFound('webhook', id);
    return webhook;
  };
  const requireRoom = (): void => {
    if (store.list().length < maxWebhooks) return;
    throw conflict(`There are ${maxWebhooks} webhooks already.`, 'Remove one first.');
  };
  const purge = (): void => store.purge(nowMs() - undoMs);

  return {
    list: () => store.list(),
    async create({ url: text, events, secret: given }, origin) {
      if (given && !isSecret(given)) {
        const reason = 'it is not "whsec_" and 24 to 64 bytes in base64';
        const remedy = 'Leave it out to have one made, or take the one that the receiver shows.';
        throw unprocessable('The webhook cannot be added.', [{ field: 'secret', reason, remedy }]);
      }
      const url = await requireUrl(text, resolve);
      const secret = given || makeSecret();
      requireRoom();
      purge();
      return { webhook: store.create({ url, events, secret, origin }), secret: given ? null : secret };
    },
    async change(id, { url: text, events, enabled }) {
      requireOne(id);
      const url = text === undefined ? undefined : await requireUrl(text, resolve);
      store.update(id, {
        ...(url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { events }),
        ...(enabled === undefined ? {} : { enabled }),
      });
      deliverer.wake();
      return requireOne(id);
    },
    test(id) {
      const target = store.target(id);
      if (!target) throw notFound('webhook', id);
      return deliverer.test(target, JSON.stringify(makeTestMessage(nowMs())));
    },
    remove(id) {
      purge();
      if (!store.remove(id)) throw notFound('webhook', id);
    },
    restore(id) {
      purge();
      requireRoom();
      if (!store.restore(id)) throw notFound('removed webhook', id);
      deliverer.wake();
      return requireOne(id);
    },
    start() {
      if (watch) return;
      purge();
      const { awayMs = defaultAwayMs } = options;
      const events = startEventWatch({ ...options, awayMs, onHappening: tell });
      watch = { events, end: options.subscribe(events.take) };
      deliverer.start();
    },
    async stop() {
      watch?.end();
      watch?.events.stop();
      await deliverer.stop();
    },
  };
}

/** Names that are not known yet are taken: sending says so. */
async function requireUrl(text: string, resolve: DelivererOptions['resolve']): Promise<string> {
  const parsed = parseWebhookUrl(text);
  const addresses = parsed.ok ? await addressesOf(parsed.url, resolve).catch(() => []) : [];
  const why = parsed.ok ? judgeAddresses(parsed.url, addresses) : parsed.why;
  if (!parsed.ok || why) {
    throw unprocessable('The webhook cannot be set.', why ? [{ field: 'url', ...why }] : []);
  }
  return parsed.url.href;
}
