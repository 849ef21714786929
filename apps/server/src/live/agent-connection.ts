import type { AgentCapabilities } from '@mqttlab/shared/domain/capabilities';
import {
  type AgentFrame,
  agentFrameSchema,
  agentProtocolVersion,
  type ServerFrame,
} from '@mqttlab/shared/protocol/agent';
import type { RawData, WebSocket } from 'ws';
import * as z from 'zod';
import {
  AgentError,
  type AgentIdentity,
  type AgentLink,
  type ClockSample,
  type CommandOptions,
} from '../testbed/agent-link.ts';
import { monotonicUs } from '../testbed/clock-offset.ts';
import { PendingAnswers } from './pending-answers.ts';

/** What a connection tells the hub. */
interface ConnectionEvents {
  onHello(connection: AgentConnection): void;
  onFrame(connection: AgentConnection, frame: AgentFrame): void;
  onClose(connection: AgentConnection): void;
  onTrouble(connection: AgentConnection, text: string): void;
  /** Something of the server itself failed, such as its disk. */
  onError(error: unknown): void;
}

export interface ConnectionOptions {
  socket: WebSocket;
  identity: AgentIdentity;
  events: ConnectionEvents;
  pingEveryMs: number;
}

const helloTimeoutMs = 10_000;
const clockTimeoutMs = 2_000;
/** WebSocket close codes: RFC 6455 section 7.4. */
const closeCodes = { policy: 1008, replaced: 4000, redial: 4001 } as const;

/** One device on its WebSocket: frames are parsed here, answers find their questions. */
export class AgentConnection implements AgentLink {
  readonly identity: AgentIdentity;
  readonly #options: ConnectionOptions;
  readonly #replies = new PendingAnswers<unknown>();
  readonly #clocks = new PendingAnswers<ClockSample>();
  readonly #undelivered = new Set<string>();
  readonly #deliveryWaiters = new Set<() => void>();
  #capabilities: AgentCapabilities | null = null;
  #heardSincePing = true;
  #ended = false;
  #timers: NodeJS.Timeout[] = [];

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.identity = options.identity;
  }

  get deviceId(): string {
    return this.identity.deviceId;
  }

  get capabilities(): AgentCapabilities {
    if (this.#capabilities === null) throw new Error(`${this.deviceId} has not said hello`);
    return this.#capabilities;
  }

  start(): void {
    const { socket, events, pingEveryMs } = this.#options;
    socket.on('message', (data, isBinary) => this.#guard(() => this.#take(data, isBinary)));
    socket.on('pong', () => {
      this.#heardSincePing = true;
    });
    socket.on('error', (error) => this.#guard(() => events.onTrouble(this, error.message)));
    socket.on('close', () => this.#guard(() => this.#end()));
    const hello = setTimeout(() => this.#guard(() => this.refuse('no hello came')), helloTimeoutMs);
    const ping = setInterval(() => this.#guard(() => this.#ping()), pingEveryMs);
    this.#timers = [hello, ping];
  }

  send(frame: ServerFrame): void {
    const { socket } = this.#options;
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
  }

  command({ runId, command, timeoutMs }: CommandOptions): Promise<unknown> {
    if (!this.#isOpen()) return Promise.reject(this.#lost());
    const send = (id: number) => this.send({ type: 'command', id, runId, command });
    return this.#replies.ask({ what: command.kind, timeoutMs, send });
  }

  exchangeClock(): Promise<ClockSample> {
    if (!this.#isOpen()) return Promise.reject(this.#lost());
    const send = (id: number) => this.send({ type: 'clock', id, t0Us: monotonicUs() });
    return this.#clocks.ask({ what: 'clock', timeoutMs: clockTimeoutMs, send });
  }

  whenDelivered(timeoutMs: number): Promise<boolean> {
    const areDelivered = (): boolean => this.#undelivered.size === 0;
    if (areDelivered() || !this.#isOpen()) return Promise.resolve(areDelivered());
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#deliveryWaiters.delete(done);
        resolve(areDelivered());
      };
      const timer = setTimeout(done, timeoutMs);
      this.#deliveryWaiters.add(done);
    });
  }

  /** The result is stored: the device may forget it. */
  acknowledge(key: string): void {
    this.send({ type: 'ack', key });
    this.#undelivered.delete(key);
    if (this.#undelivered.size === 0) for (const done of this.#deliveryWaiters) done();
  }

  /** Closes; the device dials again at once. */
  redial(): void {
    this.#options.socket.close(closeCodes.redial, 'what you are has changed');
  }

  /** Closes with the reason, of which WebSocket carries at most 123 bytes. */
  refuse(reason: string): void {
    this.#options.events.onTrouble(this, `connection closed: ${reason}`);
    this.#options.socket.close(closeCodes.policy, Buffer.from(reason).subarray(0, 120).toString());
  }

  /** The same device came again: this one is stale. */
  replace(): void {
    this.#options.socket.close(closeCodes.replaced, 'the device connected again');
    this.#options.socket.terminate();
  }

  terminate(): void {
    this.#options.socket.terminate();
  }

  /** Nobody is there to catch what a callback of a socket throws: it would end the server. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.events.onError(error);
    }
  }

  #isOpen(): boolean {
    return this.#options.socket.readyState === this.#options.socket.OPEN;
  }

  #take(data: RawData, isBinary: boolean): void {
    const receivedUs = monotonicUs();
    this.#heardSincePing = true;
    // A connection that is being closed may still have frames on their way.
    if (!this.#isOpen()) return;
    const parsed = isBinary ? 'frames are JSON text' : parseFrame(data);
    if (typeof parsed === 'string') this.refuse(parsed);
    else this.#dispatch(parsed, receivedUs);
  }

  #dispatch(frame: AgentFrame, receivedUs: number): void {
    if (frame.type === 'hello') this.#welcome(frame);
    else if (this.#capabilities === null) this.refuse(`"${frame.type}" came before "hello"`);
    else if (frame.type === 'clock') {
      const { id, t0Us, t1Us, t2Us } = frame;
      this.#clocks.settle(id, { value: { t0Us, t1Us, t2Us, t3Us: receivedUs } });
    } else if (frame.type === 'reply') {
      const { outcome, id } = frame;
      const answer = outcome.ok ? { value: outcome.data } : { error: new AgentError(outcome.error) };
      this.#replies.settle(id, answer);
    } else this.#options.events.onFrame(this, frame);
  }

  #welcome(hello: Extract<AgentFrame, { type: 'hello' }>): void {
    clearTimeout(this.#timers[0]);
    if (hello.protocol !== agentProtocolVersion) {
      const reason = `the agent speaks protocol ${hello.protocol}, this server ${agentProtocolVersion}`;
      this.send({ type: 'refused', reason, remedy: 'Install the agent that belongs to this server.' });
      this.refuse(reason);
      return;
    }
    this.#capabilities = hello.capabilities;
    for (const key of hello.pending) this.#undelivered.add(key);
    const { deviceId, name } = this.identity;
    this.send({ type: 'welcome', protocol: agentProtocolVersion, agentId: deviceId, name });
    this.#options.events.onHello(this);
  }

  #ping(): void {
    if (!this.#heardSincePing) {
      this.#options.events.onTrouble(this, 'connection closed: no sign of life');
      this.terminate();
      // Through an SSH session that is dead itself, the end of the connection is confirmed much later.
      this.#end();
      return;
    }
    this.#heardSincePing = false;
    if (this.#isOpen()) this.#options.socket.ping();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#replies.rejectAll(this.#lost());
    this.#clocks.rejectAll(this.#lost());
    for (const done of this.#deliveryWaiters) done();
    this.#options.events.onClose(this);
  }

  #lost(): AgentError {
    return new AgentError(agentLost(this.identity));
  }
}

export function agentLost({ name }: AgentIdentity) {
  return {
    code: 'agent-lost',
    message: `The connection to ${name} ended.`,
    remedy: 'Check that the device is on and its agent runs; the queue goes on when it is back.',
  };
}

/** The frame, or in words what is wrong with it. */
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
