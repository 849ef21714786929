import type { IncomingMessage } from 'node:http';
import { liveSocketPath } from '@mqttlab/shared/messages/address';
import type { LiveEvent, LiveSnapshot } from '@mqttlab/shared/messages/live';
import { type WebSocket, WebSocketServer } from 'ws';
import * as z from 'zod';
import type { Bus } from './live.ts';
import { type Refusal, refuseUpgrade, type SocketEndpoint } from './upgrades.ts';

interface BrowsersOptions {
  bus: Pick<Bus, 'subscribe' | 'eventsAfter'>;
  snapshot: () => LiveSnapshot;
  nowMs: () => number;
  /** Returns why this browser is refused (host, login); null if it is admitted. */
  refuse: (request: IncomingMessage) => Refusal | null;
  /** Returns false if the token of an admitted browser is revoked or its session has ended. */
  mayStay: (request: IncomingMessage) => boolean;
  onError: (error: unknown) => void;
  /** Overrides of limits, for tests. */
  limits?: {
    /** A browser with more bytes waiting is disconnected; it reconnects and resumes. */
    maxBufferedBytes?: number;
    /** A browser that has not responded to a ping for this long is disconnected. */
    pingEveryMs?: number;
    /** Interval of access checks in ms, because another process may revoke a token. */
    recheckEveryMs?: number;
  };
}

export interface Browsers extends SocketEndpoint {
  /** Closes the connections of browsers that have lost their access. */
  recheck(): void;
  stop(): void;
}

const maxIncomingBytes = 1024;
/** RFC 6455 section 7.4.1. */
const closedByPolicy = 1008;
const afterSchema = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/**
 * Creates the WebSocket for browsers, which sends a snapshot or the missed events, then every event. Messages
 * from browsers are ignored.
 */
export function makeBrowsers(options: BrowsersOptions): Browsers {
  const { bus, limits = {} } = options;
  const { maxBufferedBytes = 4_000_000, pingEveryMs = 20_000, recheckEveryMs = 5_000 } = limits;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxIncomingBytes });
  const silent = new Set<WebSocket>();
  const requests = new WeakMap<WebSocket, IncomingMessage>();

  const send = (browser: WebSocket, text: string): void => {
    if (browser.readyState !== browser.OPEN) return;
    if (browser.bufferedAmount > maxBufferedBytes) browser.terminate();
    else browser.send(text);
  };
  const unsubscribe = bus.subscribe((event) => {
    if (sockets.clients.size === 0) return;
    const text = JSON.stringify(event);
    for (const browser of sockets.clients) send(browser, text);
  });
  const heartbeat = setInterval(() => {
    for (const browser of sockets.clients) {
      if (silent.has(browser)) browser.terminate();
      else {
        silent.add(browser);
        browser.ping();
      }
    }
  }, pingEveryMs);
  heartbeat.unref();
  const recheck = (): void => {
    for (const browser of sockets.clients) {
      const request = requests.get(browser);
      if (request && !options.mayStay(request)) browser.close(closedByPolicy, 'the login has ended');
    }
  };
  const recheckSafely = (): void => {
    try {
      recheck();
    } catch (error) {
      // A temporary database read error must not close connections or stop the server.
      options.onError(error);
    }
  };
  const rechecks = setInterval(recheckSafely, recheckEveryMs);
  rechecks.unref();

  const snapshotEvent = (): LiveEvent => ({
    id: 0,
    at: options.nowMs(),
    event: 'snapshot',
    experimentId: null,
    runId: null,
    data: options.snapshot(),
  });
  const welcome = (browser: WebSocket, after: number | null): void => {
    browser.on('error', () => browser.terminate());
    browser.on('pong', () => silent.delete(browser));
    browser.on('close', () => silent.delete(browser));
    try {
      const missed = after === null ? null : bus.eventsAfter(after);
      const events = missed ?? [snapshotEvent()];
      for (const event of events) browser.send(JSON.stringify(event));
    } catch (error) {
      options.onError(error);
      browser.close(1011, 'the snapshot could not be read');
    }
  };

  return {
    path: liveSocketPath,
    accept({ request, socket, head, url }) {
      const after = parseAfter(url);
      const refusal = refuseForeignOrigin(request) ?? options.refuse(request) ?? after.refusal;
      if (refusal) refuseUpgrade(socket, refusal);
      else {
        sockets.handleUpgrade(request, socket, head, (browser) => {
          requests.set(browser, request);
          welcome(browser, after.id);
        });
      }
    },
    recheck,
    stop() {
      unsubscribe();
      clearInterval(heartbeat);
      clearInterval(rechecks);
      for (const browser of sockets.clients) browser.close(1001, 'the server is stopping');
      sockets.close();
    },
  };
}

function parseAfter(url: URL): { id: number | null; refusal: Refusal | null } {
  const text = url.searchParams.get('after');
  if (text === null || text === '') return { id: null, refusal: null };
  const parsed = afterSchema.safeParse(text);
  if (parsed.success) return { id: parsed.data, refusal: null };
  return {
    id: null,
    refusal: {
      status: 400,
      detail: 'after is not an event number.',
      remedy: 'Omit it to begin with a snapshot.',
    },
  };
}

/** Refuses pages of other sites, which must not read events. Programs other than browsers send no Origin. */
function refuseForeignOrigin(request: IncomingMessage): Refusal | null {
  const { origin, host } = request.headers;
  if (origin === undefined || URL.parse(origin)?.host === host) return null;
  return {
    status: 403,
    detail: `A page from ${origin} is not allowed to subscribe to this server.`,
    remedy: "Open the page at this server's address.",
  };
}
