import { X509Certificate } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type ConnectionOptions, checkServerIdentity, TLSSocket } from 'node:tls';
import { Backoff } from '@mqttlab/shared/kit/backoff';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import {
  type AgentFrame,
  agentSocketPath,
  enrolHeaders,
  type ServerFrame,
  serverFrameSchema,
} from '@mqttlab/shared/messages/agent';
import {
  agentSettingsHeader,
  type DeviceSettings,
  noDeviceSettings,
  unpackDeviceSettings,
} from '@mqttlab/shared/messages/device-settings';
import { maxAgentFrameBytes } from '@mqttlab/shared/messages/set-aside';
import { type ClientOptions, WebSocket } from 'ws';
import * as z from 'zod';
import { answerClock, type Clock } from '../load/pacing/clock.ts';
import type { AuthorityPins, Credentials, ServerAddress } from './credentials.ts';

export type Hello = Extract<AgentFrame, { type: 'hello' }>;
/** Handlers for events outside the connection itself. */
export type FrameForAgent = Exclude<ServerFrame, { type: 'clock' | 'welcome' | 'refused' | 'trust' }>;

export interface LinkTiming {
  /** First wait before reconnecting, in ms; doubles up to `retryMostMs`. */
  retryMs: number;
  retryMostMs: number;
  /** Interval of pings in ms; a response must arrive within the same time. */
  heartbeatMs: number;
}

export const usualTiming: LinkTiming = { retryMs: 200, retryMostMs: 10_000, heartbeatMs: 10_000 };

interface ServerLinkOptions {
  /** URL with http, https, ws or wss; read at each attempt. */
  server: () => ServerAddress;
  credentials: Credentials;
  pins: AuthorityPins;
  clock: Clock;
  timing: LinkTiming;
  /** Makes the agent's greeting. `settings` are the server's settings for this device. */
  makeHello: (settings: DeviceSettings) => Promise<Hello>;
  onLog: (level: 'info' | 'warn', text: string) => void;
}

interface ServerLinkEvents {
  frame: [FrameForAgent];
  /** Called for a result that would make the server close the connection. */
  tooLarge: [key: string];
  /** Called when the server has accepted this agent, so that results can be sent. */
  up: [];
  /** Called when the connection is lost. */
  down: [];
}

/**
 * The agent's one connection to the server: connects, sends the agent's greeting, and reconnects until it is
 * stopped.
 */
export class ServerLink extends EventEmitter<ServerLinkEvents> {
  readonly #options: ServerLinkOptions;
  readonly #queue = new FrameQueue();
  #socket: WebSocket | null = null;
  #heartbeat: Heartbeat | null = null;
  #retry: NodeJS.Timeout | null = null;
  readonly #backoff: Backoff;
  #up = false;
  #running = false;
  #lastFailure = '';
  #origin = '';
  /** The part of the address for which the current connection's pins were read. */
  #configured: string | null = null;
  /** Server certificate on the current connection; null without TLS. */
  #peer: X509Certificate | null = null;

  constructor(options: ServerLinkOptions) {
    super();
    this.#options = options;
    const { retryMs, retryMostMs } = options.timing;
    // Jitter, so that agents do not all reconnect at once.
    this.#backoff = new Backoff({ firstMs: retryMs, longestMs: retryMostMs, jitter: 0.25 });
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#dial();
  }

  /** Closes the connection; frames that were sent before are still delivered. */
  async stop(): Promise<void> {
    this.#running = false;
    if (this.#retry !== null) clearTimeout(this.#retry);
    const socket = this.#socket;
    if (socket === null) return;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const killTimer = setTimeout(() => socket.terminate(), 1_000);
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
    else socket.close(1000, 'agent stopped');
    await closed;
    clearTimeout(killTimer);
  }

  /**
   * Sends a frame. While the server is unreachable, answers and errors are queued, but progress and results
   * are not (results are in the outbox).
   */
  send(frame: AgentFrame): void {
    if (this.#up) this.#write(frame);
    else this.#queue.add(frame);
  }

  /**
   * Connects. An attempt that fails early because of a damaged certificate or token counts as a failed
   * connection.
   */
  #dial(): void {
    try {
      this.#use(this.#open());
    } catch (error) {
      this.#logFailure(`The connection to the server cannot be opened: ${reasonOf(error)}`);
      this.#dialLater();
    }
  }

  #dialLater(): void {
    this.#retry = setTimeout(() => this.#dial(), this.#backoff.next());
  }

  #open(): WebSocket {
    const { server, credentials, pins } = this.#options;
    const { url: base, authority } = server();
    this.#origin = base.origin;
    this.#configured = authority;
    this.#peer = null;
    const url = new URL(agentSocketPath, base);
    url.protocol = url.protocol.replace(/^http/, 'ws');
    return new WebSocket(url, {
      headers: credentials.headers(),
      perMessageDeflate: false,
      handshakeTimeout: 10_000,
      maxPayload: 16 * 1_024 * 1_024,
      ...pinning(pins.current(authority)),
    });
  }

  #use(socket: WebSocket): void {
    const { credentials } = this.#options;
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(socket, data.toString()));
    let turnedAway = false;
    // Terminating a rejected socket causes another error without new information.
    socket.on('error', (error) => turnedAway || this.#logFailure(reasonOf(error)));
    socket.on('unexpected-response', (_request, response) => {
      if (response.statusCode === 401) credentials.refused();
      const hint = response.statusCode === 401 ? ': the server does not accept this token' : '';
      this.#logFailure(`The server answered ${response.statusCode}${hint}`);
      turnedAway = true;
      response.destroy();
      socket.terminate();
    });
    let settings = noDeviceSettings;
    socket.on('upgrade', ({ headers, socket: connection }) => {
      if (connection instanceof TLSSocket) this.#peer = connection.getPeerX509Certificate() ?? null;
      const answered = headers[enrolHeaders.token];
      if (typeof answered === 'string') credentials.keep(answered);
      settings = unpackDeviceSettings(String(headers[agentSettingsHeader] ?? '')) ?? noDeviceSettings;
    });
    socket.on('open', () => void this.#greet(socket, settings));
    socket.on('close', (code, reason) => this.#closed(socket, reason.toString() || `code ${code}`));
  }

  async #greet(socket: WebSocket, settings: DeviceSettings): Promise<void> {
    this.#heartbeat = new Heartbeat(socket, this.#options.timing.heartbeatMs);
    this.#heartbeat.start();
    try {
      const hello = await this.#options.makeHello(settings);
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(hello));
    } catch (error) {
      this.#logFailure(`The capabilities of this device could not be read: ${reasonOf(error)}`);
      socket.close();
    }
  }

  #receive(socket: WebSocket, text: string): void {
    const receivedUs = this.#options.clock.nowUs();
    const parsed = parseServerFrame(text);
    if ('frame' in parsed) this.#dispatch(socket, parsed.frame, receivedUs);
    else this.#refuse(parsed);
  }

  #dispatch(socket: WebSocket, frame: ServerFrame, receivedUs: number): void {
    if (frame.type === 'clock') {
      socket.send(JSON.stringify(answerClock(frame, receivedUs, this.#options.clock)));
    } else if (frame.type === 'trust') {
      socket.send(JSON.stringify({ type: 'trusts', id: frame.id, pinned: this.#pin(frame.authorities) }));
    } else if (frame.type === 'welcome') {
      this.#welcomed(frame.name);
    } else if (frame.type === 'refused') {
      this.#logFailure(`The server refused this agent: ${frame.reason} ${frame.remedy}`);
      this.#backoff.skipToLongest();
      socket.close();
    } else {
      this.emit('frame', frame);
    }
  }

  /** Returns false, and logs a line, if the authorities are not pinned. */
  #pin(authorities: readonly string[]): boolean {
    try {
      return this.#options.pins.replace({ authorities, configured: this.#configured, peer: this.#peer });
    } catch (error) {
      this.#options.onLog('warn', `The server's CA certificate could not be pinned: ${reasonOf(error)}`);
      return false;
    }
  }

  #welcomed(name: string): void {
    this.#up = true;
    this.#backoff.reset();
    this.#lastFailure = '';
    this.#options.onLog('info', `Connected to ${this.#origin} as "${name}"`);
    for (const frame of this.#queue.take()) this.#write(frame);
    this.emit('up');
  }

  #closed(socket: WebSocket, reason: string): void {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#heartbeat?.stop();
    const wasUp = this.#up;
    this.#up = false;
    if (wasUp) {
      this.#options.onLog('warn', `The connection to the server ended: ${reason}`);
      this.emit('down');
    }
    if (this.#running) this.#dialLater();
  }

  #write(frame: AgentFrame): void {
    const text = JSON.stringify(frame);
    if (frame.type === 'result' && Buffer.byteLength(text) > maxAgentFrameBytes) {
      this.emit('tooLarge', frame.key);
    } else this.#socket?.send(text);
  }

  #refuse({ reason, reply }: RefusedFrame): void {
    this.#options.onLog('warn', `Refused a frame from the server: ${reason}`);
    if (reply !== null) this.send(reply);
  }

  /** Logs an error once if every attempt fails with the same error. */
  #logFailure(text: string): void {
    if (text === this.#lastFailure) return;
    this.#lastFailure = text;
    this.#options.onLog('warn', `${text} (${this.#origin})`);
  }
}

/**
 * Returns TLS options that accept only a pinned certificate, or a certificate that a pinned authority signed
 * for this address. Without pins, the system's authorities apply.
 */
function pinning(pins: readonly string[] | null): ClientOptions {
  if (pins === null) return {};
  const pinned = pins.map((pem) => new X509Certificate(pem).raw);
  const options: ConnectionOptions = {
    ca: [...pins],
    allowPartialTrustChain: true,
    checkServerIdentity: (host, certificate) =>
      pinned.some((raw) => certificate.raw.equals(raw)) ? undefined : checkServerIdentity(host, certificate),
  };
  // Passed to tls.connect, which declares the types for it.
  return options as unknown as ClientOptions;
}

/** Pings the other end, and closes the connection if nothing arrives before the next ping is due. */
class Heartbeat {
  readonly #socket: WebSocket;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | null = null;
  #answered = true;

  constructor(socket: WebSocket, everyMs: number) {
    this.#socket = socket;
    this.#everyMs = everyMs;
  }

  start(): void {
    if (this.#timer !== null) return;
    const onActivity = () => {
      this.#answered = true;
    };
    this.#socket.on('pong', onActivity);
    this.#socket.on('message', onActivity);
    this.#timer = setInterval(() => this.#beat(), this.#everyMs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #beat(): void {
    if (!this.#answered) {
      this.#socket.terminate();
      return;
    }
    this.#answered = false;
    this.#socket.ping();
  }
}

type Reply = Extract<AgentFrame, { type: 'reply' }>;

interface RefusedFrame {
  reason: string;
  /** Error reply to an invalid command; null for any other frame. */
  reply: Reply | null;
}

const addressedSchema = z.object({ type: z.literal('command'), id: z.int(), runId: z.int().min(1) });

/** Parses a frame. Never throws: an invalid frame is returned with the reason. */
export function parseServerFrame(text: string): { frame: ServerFrame } | RefusedFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reason: `not JSON: ${text.slice(0, 80)}`, reply: null };
  }
  const parsed = serverFrameSchema.safeParse(value);
  if (parsed.success) return { frame: parsed.data };
  const reason = z.prettifyError(parsed.error).replaceAll('\n', ' ').slice(0, 500);
  const addressed = addressedSchema.safeParse(value);
  if (!addressed.success) return { reason, reply: null };
  const { id, runId } = addressed.data;
  const remedy = 'Install the agent version that belongs to this server.';
  const error = { code: 'bad-command', message: `The agent cannot parse this command: ${reason}`, remedy };
  return { reason, reply: { type: 'reply', id, runId, outcome: { ok: false, error } } };
}

const maxFrames = 500;

/**
 * Returns true for frames that are worth sending late: progress is then out of date, results are in the
 * outbox, and clock requests have expired.
 */
const queuedTypes = new Set<AgentFrame['type']>(['reply', 'phase', 'trouble', 'log']);

/** Frames that were not sent while the server was unreachable: the newest 500. */
class FrameQueue {
  readonly #frames: AgentFrame[] = [];

  add(frame: AgentFrame): void {
    if (!queuedTypes.has(frame.type)) return;
    this.#frames.push(frame);
    if (this.#frames.length > maxFrames) this.#frames.shift();
  }

  /** Empties the queue and returns its frames. */
  take(): AgentFrame[] {
    return this.#frames.splice(0);
  }
}
