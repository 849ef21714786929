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

/** Returns null for what is no event. */
export type ParseLiveEvent = (input: unknown) => LiveEvent | SkippedEvent | null;

interface LiveConnectionOptions {
  openSocket: (path: string) => LiveSocket;
  /** False when the server does not answer: a silent socket is then given up. */
  probe: () => Promise<boolean>;
  now: () => number;
  random: () => number;
}

/** Silence after which the server is asked whether it is still there, ms. */
const silenceMs = 20_000;
/** A connection that followed the series for so long was a good one: the next delay is the shortest, ms. */
const stableMs = 10_000;
/** Events that come close together are shown together, ms. */
const showEveryMs = 100;

/**
 * One WebSocket that outlives the server: resumes behind the last event, starts afresh where events are missing,
 * and keeps what it knew while the server is gone. Nothing happens before `start`.
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
  /** When this connection delivered its first event in the series; null before. */
  private followingSinceMs: number | null = null;
  private parse: ParseLiveEvent = () => null;

  constructor(options: LiveConnectionOptions) {
    this.options = options;
  }

  readonly getState = (): LiveState => this.state;

  /** Called soon after every change, at once for the connection itself; returns the function that ends it. */
  readonly subscribe = (reader: () => void): (() => void) => {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  };

  /** Called with every event that was applied, in order. */
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

  /** Ends the wait for the next attempt: the network or the page came back. */
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
      // Without `after` the server begins with a snapshot.
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

/** Doubles from 0.5 s to 5 s; half of it random (0 to 1), so that many pages do not come back at once. */
export function reconnectDelayMs(failures: number, random: number): number {
  const fullMs = Math.min(longestMs, shortestMs * 2 ** Math.min(failures, 10));
  return Math.max(shortestMs, fullMs * (0.5 + random / 2));
}
