import { liveSocketPath } from '@mqttlab/shared/messages/address';
import type { LiveEvent } from '@mqttlab/shared/messages/live';
import { initialLiveState, type LiveState, placeOf, reduceLive } from './live-state.ts';
import type { SkippedEvent } from './parse-live-event.ts';

export interface LiveSocket {
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  close(): void;
}

/** Returns null if the text is not an event. */
export type ParseLiveEvent = (input: unknown) => LiveEvent | SkippedEvent | null;

interface LiveConnectionOptions {
  openSocket: (path: string) => LiveSocket;
  /** Resolves to false if the server does not respond; the silent socket is then closed. */
  probe: () => Promise<boolean>;
  now: () => number;
  random: () => number;
}

/** Time without messages after which the server is checked, in ms. */
const silenceMs = 20_000;
/** How long a connection must receive events before the reconnect delay is reset, in ms. */
const stableMs = 10_000;
/** Period within which events are shown together, in ms. */
const showEveryMs = 100;

/**
 * A WebSocket connection that reconnects after server restarts. It resumes after the last event, requests a
 * new snapshot if events are missing, and keeps its data while the server is unreachable. It does nothing
 * before `start`.
 */
export class LiveConnection {
  private readonly options: LiveConnectionOptions;
  private state: LiveState = initialLiveState;
  private readonly readers = new Set<() => void>();
  private readonly listeners = new Set<(event: LiveEvent) => void>();
  private socket: LiveSocket | null = null;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private silenceTimer: ReturnType<typeof setTimeout> | undefined;
  private showTimer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  /** Time of the first event in sequence on this connection; null before that event. */
  private followingSinceMs: number | null = null;
  private parse: ParseLiveEvent = () => null;

  constructor(options: LiveConnectionOptions) {
    this.options = options;
  }

  readonly getState = (): LiveState => this.state;

  /** Calls the listener after every change; connection changes are not delayed. Returns the unsubscribe function. */
  readonly subscribe = (reader: () => void): (() => void) => {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  };

  /** Calls the listener with every applied event, in order. */
  readonly onEvent = (listener: (event: LiveEvent) => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  start(parse: ParseLiveEvent): void {
    this.parse = parse;
    if (!this.socket && this.retryTimer === undefined) this.open();
  }

  stop(): void {
    clearTimeout(this.retryTimer);
    clearTimeout(this.silenceTimer);
    clearTimeout(this.showTimer);
    this.retryTimer = undefined;
    this.showTimer = undefined;
    this.drop();
  }

  /** Reconnects immediately, because the network or the page is active again. */
  retryNow(): void {
    if (this.retryTimer === undefined) return;
    clearTimeout(this.retryTimer);
    this.open();
  }

  private open(): void {
    this.retryTimer = undefined;
    const { lastId } = this.state;
    const socket = this.options.openSocket(
      lastId === null ? liveSocketPath : `${liveSocketPath}?after=${lastId}`,
    );
    this.socket = socket;
    this.followingSinceMs = null;
    socket.onopen = () => {
      this.listenForSilence();
      this.change({ ...this.state, connection: { state: 'connected' } });
    };
    socket.onmessage = (message) => this.receive(message.data);
    socket.onclose = () => this.gone();
  }

  private receive(data: unknown): void {
    this.listenForSilence();
    const event = this.parse(readJson(data));
    const place = event ? placeOf(this.state, event) : 'gap';
    if (!event || place === 'gap') {
      // Without `after`, the server first sends a snapshot.
      this.change({ ...this.state, lastId: null, connection: { state: 'connecting' } });
      this.openLater();
      return;
    }
    if (place === 'duplicate') return;
    this.followingSinceMs ??= this.options.now();
    if (event.event === 'skipped') {
      this.state = { ...this.state, lastId: event.id };
      return;
    }
    this.state = reduceLive(this.state, event, this.options.now());
    this.showTimer ??= setTimeout(() => this.show(), showEveryMs);
    for (const listener of this.listeners) listener(event);
  }

  private gone(): void {
    if (this.state.connection.state !== 'gone') {
      this.change({ ...this.state, connection: { state: 'gone', sinceMs: this.options.now() } });
    }
    this.openLater();
  }

  private openLater(): void {
    this.drop();
    clearTimeout(this.silenceTimer);
    clearTimeout(this.retryTimer);
    const followedMs = this.options.now() - (this.followingSinceMs ?? this.options.now());
    if (followedMs >= stableMs) this.failures = 0;
    this.followingSinceMs = null;
    this.retryTimer = setTimeout(() => this.open(), reconnectDelayMs(this.failures, this.options.random()));
    this.failures += 1;
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  private listenForSilence(): void {
    clearTimeout(this.silenceTimer);
    const socket = this.socket;
    this.silenceTimer = setTimeout(async () => {
      const answered = await this.options.probe();
      if (this.socket !== socket) return;
      if (answered) this.listenForSilence();
      else this.gone();
    }, silenceMs);
  }

  private change(state: LiveState): void {
    this.state = state;
    this.show();
  }

  private show(): void {
    clearTimeout(this.showTimer);
    this.showTimer = undefined;
    for (const reader of this.readers) reader();
  }
}

function readJson(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return null;
  }
}

const shortestMs = 500;
const longestMs = 5000;

/**
 * Returns a backoff from 0.5 s to 5 s. Half of each delay is scaled by a random factor from 0 to 1, so that
 * pages do not all reconnect at once.
 */
export function reconnectDelayMs(failures: number, random: number): number {
  const fullMs = Math.min(longestMs, shortestMs * 2 ** Math.min(failures, 10));
  return Math.max(shortestMs, fullMs * (0.5 + random / 2));
}
