import { randomBytes } from 'node:crypto';
import type { LiveEvent } from '@mqttlab/shared/messages/live';
import {
  type createWebhookSchema,
  type patchWebhookSchema,
  type Webhook,
  type WebhookDelivery,
  webhookMessageSchema,
} from '@mqttlab/shared/messages/webhooks';
import * as z from 'zod';
import { conflict, notFound, unprocessable } from '../base/errors.ts';
import type { Testbeds } from '../base/ports.ts';
import type { ExperimentStore } from '../store/experiments/experiment-store.ts';
import type { PendingDelivery, WebhookStore, WebhookTarget } from '../store/settings/webhook-store.ts';
import {
  addressesOf,
  judgeAddresses,
  type PostOutcome,
  parseWebhookUrl,
  postMessage,
  type Resolve,
  resolveByDns,
} from './post-message.ts';
import { isSecret, makeSecret, signHeaders } from './sign.ts';
import {
  type EventWatch,
  type Happening,
  makeMessage,
  makeTestMessage,
  startEventWatch,
} from './watch-events.ts';

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

/** Waits between the attempts; after the last one a message is given up. */
const defaultRetryMs: readonly number[] = [5_000, 60_000, 600_000, 3_600_000];
const defaultTimeoutMs = 10_000;
/** What one address may be owed: older messages make room for newer ones. */
const maxPending = 200;
/** After the database did not take what was to be noted. */
const restMs = 30_000;
/** setTimeout knows no more than 2^31 ms; nothing waits as long as this. */
const longestWaitMs = 86_400_000;

interface DelivererOptions {
  store: WebhookStore;
  resolve: Resolve;
  nowMs: () => number;
  /** What a person who reads the server's log should know. */
  onWarning: (text: string) => void;
  onTrouble: (error: unknown) => void;
  retryMs?: readonly number[];
  timeoutMs?: number;
  maxPending?: number;
}

type Message = Pick<PendingDelivery, 'messageId' | 'body'>;

/**
 * Sends what is in the store, each address its messages one at a time, until they are taken or given up. A message
 * may come twice where the server was stopped in between, with the same id.
 */
class Deliverer {
  readonly #options: DelivererOptions;
  readonly #retryMs: readonly number[];
  readonly #underWay = new Map<number, Promise<void>>();
  readonly #tests = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #isStarted = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#retryMs = options.retryMs ?? defaultRetryMs;
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Something may be due. Returns at once. */
  wake(afterMs = 0): void {
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sendDue(), Math.min(afterMs, longestWaitMs));
  }

  /** Keeps a message for an address until it is delivered. */
  add({ id, url }: WebhookTarget, body: string): void {
    const limit = this.#options.maxPending ?? maxPending;
    const dropped = this.#options.store.enqueue({ webhookId: id, messageId: makeMessageId(), body }, limit);
    if (dropped > 0) this.#options.onWarning(`the oldest message to ${url} was dropped: ${limit} wait`);
    this.wake();
  }

  /** One attempt now, whatever waits; the outcome is noted as the last delivery. */
  async test(target: WebhookTarget, body: string): Promise<WebhookDelivery> {
    const attempt = this.#attempt(target, { messageId: makeMessageId(), body });
    this.#tests.add(attempt);
    try {
      const outcome = await attempt;
      const delivery = this.#describe('test', outcome, { attempt: 1, nextAt: null });
      this.#options.store.noteDelivery(target.id, delivery);
      return delivery;
    } finally {
      this.#tests.delete(attempt);
    }
  }

  /** Breaks off what is under way; it stays in the store. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#timer) clearTimeout(this.#timer);
    await Promise.allSettled([...this.#underWay.values(), ...this.#tests]);
  }

  #sendDue(): void {
    const { store, nowMs, onTrouble } = this.#options;
    try {
      for (const pending of store.listNext()) {
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
              onTrouble(error);
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
      onTrouble(error);
      this.wake(restMs);
    }
  }

  async #deliver(pending: PendingDelivery): Promise<void> {
    const { store, nowMs, onWarning } = this.#options;
    const { webhookId, body } = pending;
    const event = eventOf(body);
    const url = store.find(webhookId)?.url ?? 'a webhook that was removed';
    if (event === null) {
      store.settle(pending.id);
      onWarning(`a stored message to ${url} cannot be read and was dropped`);
      return;
    }
    // A secret may be readable again once the right key file is put back, within the usual attempts.
    const target = store.target(webhookId);
    const outcome = target ? await this.#attempt(target, pending) : secretUnreadable;
    if (this.#stopping.signal.aborted && !outcome.ok) return;
    const attempt = pending.attempts + 1;
    const waitMs = outcome.ok || outcome.status === 410 ? undefined : this.#retryMs[pending.attempts];
    const nextAt = waitMs === undefined ? null : nowMs() + waitMs;
    store.noteDelivery(webhookId, this.#describe(event, outcome, { attempt, nextAt }));
    if (nextAt === null) store.settle(pending.id);
    else store.postpone(pending.id, { attempts: attempt, dueAt: nextAt });
    if (outcome.status === 410) store.update(webhookId, { enabled: false });
    if (!outcome.ok && nextAt === null) {
      onWarning(`a message to ${url} was not delivered: ${outcome.reason}`);
    }
  }

  #attempt({ url, secret }: WebhookTarget, { messageId, body }: Message): Promise<PostOutcome> {
    const { resolve, nowMs, timeoutMs = defaultTimeoutMs } = this.#options;
    const timestamp = Math.floor(nowMs() / 1000);
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
  reason: 'Its secret cannot be read with the mqttlab.key of this data folder.',
  remedy: 'Put the key file of that time back, or add the webhook again with a new secret.',
};

const eventSchema = z.object({ event: webhookMessageSchema.shape.event });

/** Returns null for a stored text that is no message of this program. */
function eventOf(body: string): WebhookDelivery['event'] | null {
  try {
    return eventSchema.parse(JSON.parse(body)).event;
  } catch {
    return null;
  }
}
