import { randomInt } from 'node:crypto';
import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { Backoff } from '@mqttlab/shared/kit/backoff';
import { Failure } from '@mqttlab/shared/kit/failure';
import { Changes, poll } from '@mqttlab/shared/kit/poll';
import { Requests } from '@mqttlab/shared/kit/requests';
import {
  type AgentFrame,
  agentFrameSchema,
  agentProtocolVersion,
  type ServerFrame,
} from '@mqttlab/shared/messages/agent';
import { resultKeySchema, type SetAside } from '@mqttlab/shared/messages/set-aside';
import type { ClockSample } from '@mqttlab/shared/statistics/estimates/clock-offset';
import type { RawData, WebSocket } from 'ws';
import * as z from 'zod';
import type { AgentIdentity, AgentLink, CommandOptions } from './agent-link.ts';
import { monotonicUs } from './device-clocks.ts';

/** Events that a connection reports to the hub. */
interface ConnectionEvents {
  onHello(connection: AgentConnection): void;
  onFrame(connection: AgentConnection, frame: AgentFrame): void;
  /** A result violates the protocol; a repeated transfer would not change it. */
  onBadResult(connection: AgentConnection, key: string, reason: string): void;
  /** The device reported all results that it has set aside. */
  onSetAside(connection: AgentConnection, results: readonly SetAside[]): void;
  onClose(connection: AgentConnection): void;
  onFailure(connection: AgentConnection, text: string): void;
  /** An error occurred in the server itself, such as a full disk. */
  onError(error: unknown): void;
}

interface ConnectionOptions {
  socket: WebSocket;
  identity: AgentIdentity;
  events: ConnectionEvents;
  pingEveryMs: number;
  /** Timeout for one part of a file, in ms. */
  fetchTimeoutMs?: number;
  /** Initial and maximum wait before a result is requested again, in ms. */
  retryMs?: readonly [number, number];
}

const helloTimeoutMs = 10_000;
/** A device that is swapping or starting programs may need seconds to respond. */
const clockTimeoutMs = 5_000;
/** A device that is processing its results may respond late. */
const maxUnansweredPings = 3;
const usualFetchTimeoutMs = 30_000;
const trustTimeoutMs = 5_000;
/** Maximum number of requests per connection for a result that cannot be processed. */
const maxAttempts = 10;
/** WebSocket close codes (RFC 6455 section 7.4). */
const closeCodes = { policy: 1008, replaced: 4000, redial: 4001 } as const;

type Wanted =
  | Pick<Extract<ServerFrame, { type: 'fetch-set-aside' }>, 'type' | 'name'>
  | Omit<Extract<ServerFrame, { type: 'fetch-file' }>, 'id'>;

/** The WebSocket connection of one device. Parses frames and matches responses to requests. */
export class AgentConnection implements AgentLink {
  readonly identity: AgentIdentity;
  readonly #options: ConnectionOptions;
  readonly #replies = new Requests<number, unknown>();
  readonly #clocks = new Requests<number, ClockSample>();
  readonly #fetches = new Requests<number, string | null>();
  readonly #trust = new Requests<number, boolean>();
  /**
   * Starts at a random number, so that a late response to an earlier connection cannot match a request of
   * this one.
   */
  #nextId = randomInt(1, 2 ** 40);
  readonly #undelivered = new Set<string>();
  /** Results that arrived but could not be stored; they are requested again one by one. */
  readonly #requested: ResultRequests;
  /** Results whose files are being fetched. */
  readonly #fetching = new Set<string>();
  /** Number of failed attempts to process a result, by key. */
  readonly #failures = new Map<string, number>();
  /** Reports changes to the undelivered results, and the end of the connection. */
  readonly #changes = new Changes();
  #capabilities: AgentCapabilities | null = null;
  #unansweredPings = 0;
  #ended = false;
  #timers: NodeJS.Timeout[] = [];

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.identity = options.identity;
    this.#requested = new ResultRequests((key) => {
      if (!this.#fetching.has(key)) this.send({ type: 'deliver', key });
    }, options.retryMs);
  }

  get deviceId(): string {
    return this.identity.deviceId;
  }

  get capabilities(): AgentCapabilities {
    if (this.#capabilities === null) throw new Error(`${this.deviceId} has not sent hello`);
    return this.#capabilities;
  }

  start(): void {
    const { socket, events, pingEveryMs } = this.#options;
    socket.on('message', (data, isBinary) => this.#guard(() => this.#take(data, isBinary)));
    socket.on('pong', () => {
      this.#unansweredPings = 0;
    });
    socket.on('error', (error) => this.#guard(() => events.onFailure(this, error.message)));
    socket.on('close', () => this.#guard(() => this.#end()));
    const hello = setTimeout(() => this.#guard(() => this.refuse('no hello arrived')), helloTimeoutMs);
    const ping = setInterval(() => this.#guard(() => this.#ping()), pingEveryMs);
    this.#timers = [hello, ping];
  }

  send(frame: ServerFrame): void {
    const { socket } = this.#options;
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
  }

  command({ runId, command, timeoutMs }: CommandOptions): Promise<unknown> {
    if (!this.isOpen) return Promise.reject(this.#lost());
    const send = (id: number) => this.send({ type: 'command', id, runId, command });
    return this.#ask(this.#replies, { what: command.kind, timeoutMs, send });
  }

  exchangeClock(): Promise<ClockSample> {
    if (!this.isOpen) return Promise.reject(this.#lost());
    const send = (id: number) => this.send({ type: 'clock', id, t0Us: monotonicUs() });
    return this.#ask(this.#clocks, { what: 'clock', timeoutMs: clockTimeoutMs, send });
  }

  async collectResults(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    const isOver = (): boolean => this.#undelivered.size === 0 || !this.isOpen;
    await poll(isOver, { changes: this.#changes, timeoutMs, ...(signal && { signal }) });
    return this.#undelivered.size === 0;
  }

  /** Confirms that the result is stored, so that the device can delete it. */
  acknowledge(key: string): void {
    this.send({ type: 'ack', key });
    this.#noteDelivered(key);
  }

  /** Reports that the result will never be stored, so that the device sets it aside with the reason. */
  refuseResult(key: string, reason: string): void {
    this.send({ type: 'refuse-result', key, reason: reason.slice(0, 1000) });
    this.#noteDelivered(key);
  }

  /**
   * Requests a result that could not be stored until it is stored. Returns false if it is already being
   * requested.
   */
  requestResult(key: string): boolean {
    this.#undelivered.add(key);
    return this.#requested.add(key);
  }

  /**
   * Requests a result again that could not be processed for a reason other than the disk, a limited number of
   * times. Returns `first` for the first failure, and `last` if the device keeps the result until it
   * reconnects, so that nothing waits for the result.
   */
  retryResult(key: string): 'first' | 'again' | 'last' {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    if (failures >= maxAttempts) {
      this.#noteDelivered(key);
      return 'last';
    }
    this.requestResult(key);
    return failures === 1 ? 'first' : 'again';
  }

  /** Marks the files of a stored result as being fetched. Returns false if they are already being fetched. */
  beginFiles(key: string): boolean {
    this.#undelivered.add(key);
    if (this.#fetching.has(key)) return false;
    this.#fetching.add(key);
    return true;
  }

  endFiles(key: string): void {
    this.#fetching.delete(key);
  }

  /** Resolves with a stored file of the device as text; null if it no longer exists. Rejects with Failure. */
  fetch(wanted: Wanted): Promise<string | null> {
    if (!this.isOpen) return Promise.reject(this.#lost());
    const send = (id: number) => this.send({ ...wanted, id });
    const { fetchTimeoutMs: timeoutMs = usualFetchTimeoutMs } = this.#options;
    return this.#ask(this.#fetches, { what: wanted.type, timeoutMs, send });
  }

  /**
   * Requests that the agent pin these certificates (PEM). Resolves with false if the agent pins no
   * certificates. Rejects with Failure.
   */
  trust(authorities: readonly string[]): Promise<boolean> {
    if (!this.isOpen) return Promise.reject(this.#lost());
    const send = (id: number) => this.send({ type: 'trust', id, authorities: [...authorities] });
    return this.#ask(this.#trust, { what: 'trust', timeoutMs: trustTimeoutMs, send });
  }

  /** Sends a request. Rejects with 'agent-silent' after `timeoutMs`. */
  #ask<Answer>(
    requests: Requests<number, Answer>,
    { what, timeoutMs, send }: { what: string; timeoutMs: number; send: (id: number) => void },
  ): Promise<Answer> {
    const id = this.#nextId;
    this.#nextId += 1;
    const late = () => agentSilent(what, timeoutMs);
    return requests.ask(id, { send: () => send(id), timeout: { ms: timeoutMs, late } });
  }

  #noteDelivered(key: string): void {
    this.#requested.remove(key);
    this.#undelivered.delete(key);
    this.#changes.notify();
  }

  /**
   * Closes the connection; the device reconnects immediately. The device counts as offline at once,
   * regardless of the other end.
   */
  redial(): void {
    this.#options.socket.close(closeCodes.redial, 'the settings of this device have changed');
    this.#guard(() => this.#end());
  }

  /** Closes the connection with the reason; WebSocket allows at most 123 bytes. */
  refuse(reason: string): void {
    this.#options.events.onFailure(this, `connection closed: ${reason}`);
    this.#options.socket.close(closeCodes.policy, Buffer.from(reason).subarray(0, 120).toString());
    this.#guard(() => this.#end());
  }

  /** Closes this connection as stale, because the same device has connected again. */
  replace(): void {
    this.#options.socket.close(closeCodes.replaced, 'the device connected again');
    this.#options.socket.terminate();
  }

  terminate(): void {
    this.#options.socket.terminate();
  }

  /** Runs `work` and catches its exceptions: an exception in a socket callback would crash the server. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.events.onError(error);
    }
  }

  get isOpen(): boolean {
    return this.#options.socket.readyState === this.#options.socket.OPEN;
  }

  #take(data: RawData, isBinary: boolean): void {
    const receivedUs = monotonicUs();
    this.#unansweredPings = 0;
    // A connection that is being closed may still deliver frames.
    if (!this.isOpen) return;
    const parsed = isBinary ? 'frames are JSON text' : parseFrame(data);
    if (typeof parsed !== 'string') this.#dispatch(parsed, receivedUs);
    else this.#takeBad(data, parsed);
  }

  /**
   * Refuses only the invalid result; closing the connection would make the agent send the stored result again
   * each time.
   */
  #takeBad(data: RawData, reason: string): void {
    const key = this.#capabilities === null ? null : keyOfResult(data);
    if (key === null) this.refuse(reason);
    else this.#options.events.onBadResult(this, key, reason);
  }

  #dispatch(frame: AgentFrame, receivedUs: number): void {
    if (frame.type === 'hello') this.#welcome(frame);
    else if (this.#capabilities === null) this.refuse(`"${frame.type}" came before "hello"`);
    else if (frame.type === 'clock') {
      const { id, t0Us, t1Us, t2Us } = frame;
      this.#clocks.resolve(id, { t0Us, t1Us, t2Us, t3Us: receivedUs });
    } else if (frame.type === 'reply') {
      const { outcome, id } = frame;
      if (outcome.ok) this.#replies.resolve(id, outcome.data);
      else this.#replies.reject(id, new Failure(outcome.error));
    } else if (frame.type === 'set-aside-result') this.#fetches.resolve(frame.id, frame.text);
    else if (frame.type === 'trusts') this.#trust.resolve(frame.id, frame.pinned);
    else if (frame.type === 'file-part') {
      const { id, part, error } = frame;
      if (error === undefined) this.#fetches.resolve(id, part);
      else this.#fetches.reject(id, unreadable(error));
    } else this.#options.events.onFrame(this, frame);
  }

  #welcome(hello: Extract<AgentFrame, { type: 'hello' }>): void {
    clearTimeout(this.#timers[0]);
    if (hello.protocol !== agentProtocolVersion) {
      const reason = `the agent uses protocol ${hello.protocol}, but the server uses ${agentProtocolVersion}`;
      this.send({ type: 'refused', reason, remedy: 'Install the agent version of this server.' });
      this.refuse(reason);
      return;
    }
    this.#capabilities = hello.capabilities;
    for (const key of hello.pending) this.#undelivered.add(key);
    this.#options.events.onSetAside(this, hello.setAside ?? []);
    const { deviceId, name } = this.identity;
    this.send({ type: 'welcome', protocol: agentProtocolVersion, agentId: deviceId, name });
    this.#options.events.onHello(this);
  }

  #ping(): void {
    if (!this.isOpen) {
      // The other end is closing, which may take a long time, so treat it as closed.
      this.#end();
      return;
    }
    if (this.#unansweredPings >= maxUnansweredPings) {
      this.#options.events.onFailure(this, 'connection closed: no response to pings');
      this.terminate();
      // Through a dead SSH session, the close of the connection is only confirmed much later.
      this.#end();
      return;
    }
    this.#unansweredPings += 1;
    this.#options.socket.ping();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#replies.rejectAll(this.#lost());
    this.#clocks.rejectAll(this.#lost());
    this.#fetches.rejectAll(this.#lost());
    this.#trust.rejectAll(this.#lost());
    this.#requested.stop();
    this.#changes.notify();
    this.#options.events.onClose(this);
  }

  #lost(): Failure {
    return new Failure(agentLost(this.identity));
  }
}

/** Creates the failure for a file that exists but that the device currently cannot read from its disk. */
function unreadable(reason: string): Failure {
  return new Failure({
    code: 'file-unreadable',
    message: `The device cannot read the file: ${reason}`,
    remedy: 'Check the disk of that device; the server will fetch the file again.',
  });
}

export function agentLost({ name }: AgentIdentity) {
  return {
    code: 'agent-lost',
    message: `The connection to ${name} ended.`,
    remedy: 'Check that the device is on and its agent is running; the queue continues when it reconnects.',
  };
}

/** Returns the frame, or a description of the error. */
function parseFrame(data: RawData): AgentFrame | string {
  let json: unknown;
  try {
    json = JSON.parse(data.toString());
  } catch {
    return 'a frame is not JSON';
  }
  const parsed = agentFrameSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `a frame is not valid: ${issue ? `${z.core.toDotPath(issue.path)} ${issue.message}` : 'unknown'}`;
}

const resultFrameSchema = z.object({ type: z.literal('result'), key: resultKeySchema });

/** Returns the key of an invalid frame that was intended as a result; null for other frames. */
function keyOfResult(data: RawData): string | null {
  try {
    return resultFrameSchema.parse(JSON.parse(data.toString())).key;
  } catch {
    return null;
  }
}

function agentSilent(what: string, timeoutMs: number): Failure {
  return new Failure({
    code: 'agent-silent',
    message: `The device did not respond to "${what}" within ${timeoutMs / 1000} s.`,
    remedy: 'Check the load and the log of that device, then retry the run.',
  });
}

/**
 * Initial and maximum wait between two requests, in ms; short at first, because the database may only have
 * been busy.
 */
const defaultRetryMs: readonly [number, number] = [500, 15_000];

/**
 * Results of one device that could not be stored. Requests the oldest result until it is stored, then the
 * next.
 */
class ResultRequests {
  readonly #ask: (key: string) => void;
  readonly #keys = new Set<string>();
  readonly #backoff: Backoff;
  #timer: NodeJS.Timeout | null = null;

  constructor(ask: (key: string) => void, [firstMs, longestMs] = defaultRetryMs) {
    this.#ask = ask;
    this.#backoff = new Backoff({ firstMs, longestMs });
  }

  /** Requests a result. Returns false if it is already being requested. */
  add(key: string): boolean {
    const isNew = !this.#keys.has(key);
    this.#keys.add(key);
    this.#timer ??= setTimeout(() => this.#askNext(), this.#backoff.next());
    return isNew;
  }

  /** Removes a stored result: the disk has space again, also for the other results. */
  remove(key: string): void {
    if (!this.#keys.delete(key)) return;
    this.stop();
    this.#backoff.reset();
    const [next] = this.#keys;
    if (next !== undefined) this.#askNext();
  }

  /** Idempotent. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #askNext(): void {
    const [key] = this.#keys;
    this.#timer = setTimeout(() => this.#askNext(), this.#backoff.next());
    if (key !== undefined) this.#ask(key);
  }
}
