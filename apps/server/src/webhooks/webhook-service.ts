import { randomBytes } from 'node:crypto';
import {
  type createWebhookSchema,
  type patchWebhookSchema,
  type Webhook,
  type WebhookDelivery,
  webhookMessageSchema,
} from '@mqttlab/shared/messages/webhooks';
import * as z from 'zod';
import { conflict, notFound, unprocessable } from '../base/errors.ts';
import type { Testbeds } from '../devices/testbeds.ts';
import type { Live } from '../live/live.ts';
import type { PendingDelivery, WebhookStore, WebhookTarget } from '../store/settings/webhook-store.ts';
import type { Stores } from '../store/stores.ts';
import {
  addressesOf,
  isSecret,
  judgeAddresses,
  makeSecret,
  type PostOutcome,
  parseWebhookUrl,
  postMessage,
  type Resolve,
  resolveByDns,
  signHeaders,
} from './post-message.ts';
import {
  type EventWatch,
  type Happening,
  makeMessage,
  makeTestMessage,
  startEventWatch,
} from './watch-events.ts';

/** Maximum number of webhooks. */
const maxWebhooks = 20;
/** How long a removed webhook can be restored, in ms; its secret is then deleted. */
const undoMs = 600_000;

export interface WebhookServiceOptions {
  stores: Pick<Stores, 'webhooks' | 'experiments'>;
  testbeds: Pick<Testbeds, 'findTestbed'>;
  live: Pick<Live, 'subscribe'>;
  /** Returns the origin for links in webhooks that were added without an origin. */
  ownOrigin: () => string;
  /** Called with warnings for the server's log. */
  onWarning: (text: string) => void;
  onError: (error: unknown) => void;
  nowMs: () => number;
  /** Overrides of limits, for tests. */
  limits?: WebhookLimits;
}

interface WebhookLimits {
  /** Resolves host names. */
  resolve?: Resolve;
  /** Waits between the attempts, in ms; after the last attempt a message is abandoned. */
  retryMs?: readonly number[];
  timeoutMs?: number;
  /** Maximum number of waiting messages per address; newer messages replace the oldest. */
  maxPending?: number;
  /** A device that reconnects within this time does not count as offline. */
  awayMs?: number;
}

export type WebhookService = ReturnType<typeof makeWebhookService>;

/**
 * Manages the webhooks of this server: administrators add them, and they receive events. Errors name the
 * field and the remedy.
 */
export function makeWebhookService(options: WebhookServiceOptions) {
  const { stores, live, onError, nowMs } = options;
  const { webhooks: store, experiments } = stores;
  const { resolve, awayMs } = { ...defaultLimits, ...options.limits };
  const deliverer = new Deliverer(options);
  let watch: { events: EventWatch; end: () => void } | null = null;

  const addMessages = (happening: Happening): void => {
    for (const target of store.listTargets(happening.event)) {
      const origin = target.origin ?? options.ownOrigin();
      const message = makeMessage(happening, { origin, findExperiment: experiments.findExperiment });
      deliverer.add(target, JSON.stringify(message));
    }
  };
  const requireOne = (id: number): Webhook => {
    const webhook = store.findWebhook(id);
    if (!webhook) throw notFound('webhook', id);
    return webhook;
  };
  const requireRoom = (): void => {
    if (store.listWebhooks().length < maxWebhooks) return;
    throw conflict(`There are ${maxWebhooks} webhooks already.`, 'Remove one first.');
  };
  const purge = (): void => store.purgeWebhooks(nowMs() - undoMs);

  return {
    list: store.listWebhooks,
    /**
     * Adds a webhook. `origin`: address at which the caller reached this server, for links; null if unknown.
     */
    async create(
      { url: text, events, secret: given }: z.output<typeof createWebhookSchema>,
      origin: string | null,
    ): Promise<{ webhook: Webhook; secret: string | null }> {
      if (given && !isSecret(given)) {
        const reason = 'it is not "whsec_" and 24 to 64 bytes in base64';
        const remedy = 'Leave it out to have one generated, or copy the one that the receiver shows.';
        throw unprocessable('The webhook cannot be added.', [{ field: 'secret', reason, remedy }]);
      }
      const url = await requireUrl(text, resolve);
      const secret = given || makeSecret();
      requireRoom();
      purge();
      return { webhook: store.createWebhook({ url, events, secret, origin }), secret: given ? null : secret };
    },
    async change(
      id: number,
      { url: text, events, enabled }: z.output<typeof patchWebhookSchema>,
    ): Promise<Webhook> {
      requireOne(id);
      const url = text === undefined ? undefined : await requireUrl(text, resolve);
      store.updateWebhook(id, {
        ...(url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { events }),
        ...(enabled === undefined ? {} : { enabled }),
      });
      deliverer.wake();
      return requireOne(id);
    },
    /** Sends a message immediately, even to a disabled webhook. */
    test(id: number): Promise<WebhookDelivery> {
      const target = store.findTarget(id);
      if (!target) throw notFound('webhook', id);
      return deliverer.test(target, JSON.stringify(makeTestMessage(nowMs())));
    },
    remove(id: number): void {
      purge();
      if (!store.removeWebhook(id)) throw notFound('webhook', id);
    },
    /** Undoes a removal. */
    restore(id: number): Webhook {
      purge();
      requireRoom();
      if (!store.restoreWebhook(id)) throw notFound('removed webhook', id);
      deliverer.wake();
      return requireOne(id);
    },
    /** Starts watching events and sending waiting messages. Idempotent. */
    start(): void {
      if (watch) return;
      purge();
      const { testbeds } = options;
      const events = startEventWatch({
        experiments,
        testbeds,
        awayMs,
        nowMs,
        onHappening: addMessages,
        onError,
      });
      watch = { events, end: live.subscribe(events.take) };
      deliverer.start();
    },
    /** Idempotent. */
    async stop(): Promise<void> {
      watch?.end();
      watch?.events.stop();
      await deliverer.stop();
    },
  };
}

/** Parses an address. Accepts names that cannot be resolved yet; the delivery reports them. */
async function requireUrl(text: string, resolve: Resolve): Promise<string> {
  const parsed = parseWebhookUrl(text);
  const addresses = parsed.ok ? await addressesOf(parsed.url, resolve).catch(() => []) : [];
  const why = parsed.ok ? judgeAddresses(parsed.url, addresses) : parsed.why;
  if (!parsed.ok || why) {
    throw unprocessable('The webhook cannot be changed.', why ? [{ field: 'url', ...why }] : []);
  }
  return parsed.url.href;
}

const defaultLimits = {
  resolve: resolveByDns,
  retryMs: [5_000, 60_000, 600_000, 3_600_000],
  timeoutMs: 10_000,
  maxPending: 200,
  awayMs: 10_000,
} as const satisfies Required<WebhookLimits>;
/** Wait after a failed write to the database, in ms. */
const restMs = 30_000;
/** setTimeout accepts at most 2^31 ms; no message waits this long. */
const longestWaitMs = 86_400_000;

type DelivererOptions = Pick<WebhookServiceOptions, 'onWarning' | 'onError' | 'nowMs' | 'limits'> & {
  stores: Pick<Stores, 'webhooks'>;
};

type Message = Pick<PendingDelivery, 'messageId' | 'body'>;

/**
 * Sends the stored messages, one at a time per address, until they are delivered or abandoned. A message may
 * arrive twice with the same id if the server was stopped in between.
 */
class Deliverer {
  readonly #options: DelivererOptions;
  readonly #limits: Required<WebhookLimits>;
  readonly #store: WebhookStore;
  readonly #underWay = new Map<number, Promise<void>>();
  readonly #tests = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #isStarted = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#store = options.stores.webhooks;
    this.#limits = { ...defaultLimits, ...options.limits };
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Checks for due messages. Returns immediately. */
  wake(afterMs = 0): void {
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sendDue(), Math.min(afterMs, longestWaitMs));
  }

  /** Stores a message for an address until it is delivered. */
  add({ id, url }: WebhookTarget, body: string): void {
    const { maxPending: limit } = this.#limits;
    const dropped = this.#store.enqueue({ webhookId: id, messageId: makeMessageId(), body }, limit);
    if (dropped > 0)
      this.#options.onWarning(`the oldest message to ${url} was dropped: ${limit} are waiting`);
    this.wake();
  }

  /** Sends a message immediately, before waiting messages, and stores the outcome as the last delivery. */
  async test(target: WebhookTarget, body: string): Promise<WebhookDelivery> {
    const attempt = this.#attempt(target, { messageId: makeMessageId(), body });
    this.#tests.add(attempt);
    try {
      const outcome = await attempt;
      const delivery = this.#describe('test', outcome, { attempt: 1, nextAt: null });
      this.#store.noteDelivery(target.id, delivery);
      return delivery;
    } finally {
      this.#tests.delete(attempt);
    }
  }

  /** Aborts pending deliveries; their messages stay in the store. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#timer) clearTimeout(this.#timer);
    await Promise.allSettled([...this.#underWay.values(), ...this.#tests]);
  }

  #sendDue(): void {
    const { nowMs, onError } = this.#options;
    try {
      for (const pending of this.#store.listNextDeliveries()) {
        const { webhookId } = pending;
        if (this.#underWay.has(webhookId)) continue;
        const leftMs = pending.dueAt - nowMs();
        if (leftMs > 0) {
          this.wake(leftMs);
          return;
        }
        const work = this.#deliver(pending)
          .then(
            () => 0,
            (error: unknown) => {
              onError(error);
              return restMs;
            },
          )
          .then((waitMs) => {
            this.#underWay.delete(webhookId);
            this.wake(waitMs);
          });
        this.#underWay.set(webhookId, work);
      }
    } catch (error) {
      onError(error);
      this.wake(restMs);
    }
  }

  async #deliver(pending: PendingDelivery): Promise<void> {
    const { nowMs, onWarning } = this.#options;
    const store = this.#store;
    const { webhookId, body } = pending;
    const event = eventOf(body);
    const url = store.findWebhook(webhookId)?.url ?? 'a webhook that was removed';
    if (event === null) {
      store.endDelivery(pending.id);
      onWarning(`a stored message to ${url} cannot be read and was dropped`);
      return;
    }
    // A secret may become readable within the usual attempts if the correct key file is restored.
    const target = store.findTarget(webhookId);
    const outcome = target ? await this.#attempt(target, pending) : secretUnreadable;
    if (this.#stopping.signal.aborted && !outcome.ok) return;
    const attempt = pending.attempts + 1;
    const waitMs = outcome.ok || outcome.status === 410 ? undefined : this.#limits.retryMs[pending.attempts];
    const nextAt = waitMs === undefined ? null : nowMs() + waitMs;
    store.noteDelivery(webhookId, this.#describe(event, outcome, { attempt, nextAt }));
    if (nextAt === null) store.endDelivery(pending.id);
    else store.postponeDelivery(pending.id, { attempts: attempt, dueAt: nextAt });
    if (outcome.status === 410) store.updateWebhook(webhookId, { enabled: false });
    if (!outcome.ok && nextAt === null) {
      onWarning(`a message to ${url} was not delivered: ${outcome.reason}`);
    }
  }

  #attempt({ url, secret }: WebhookTarget, { messageId, body }: Message): Promise<PostOutcome> {
    const { resolve, timeoutMs } = this.#limits;
    const timestamp = Math.floor(this.#options.nowMs() / 1000);
    const headers = signHeaders(secret, { messageId, timestamp, body });
    return postMessage({ url, headers, body, timeoutMs, resolve, signal: this.#stopping.signal });
  }

  #describe(
    event: WebhookDelivery['event'],
    { ok, status, reason, remedy }: PostOutcome,
    when: Pick<WebhookDelivery, 'attempt' | 'nextAt'>,
  ): WebhookDelivery {
    return { event, at: this.#options.nowMs(), ok, status, reason, remedy, ...when };
  }
}

function makeMessageId(): string {
  return `msg_${randomBytes(16).toString('base64url')}`;
}

const secretUnreadable: PostOutcome = {
  ok: false,
  status: null,
  reason: 'Its secret cannot be read with the mqttlab.key in this data folder.',
  remedy: 'Restore the previous key file, or add the webhook again with a new secret.',
};

const eventSchema = z.object({ event: webhookMessageSchema.shape.event });

/** Returns the event in a stored text; null if the text is not a message of this program. */
function eventOf(body: string): WebhookDelivery['event'] | null {
  try {
    return eventSchema.parse(JSON.parse(body)).event;
  } catch {
    return null;
  }
}
