import { once } from 'node:events';
import { createServer } from 'node:http';
import type { LogLine, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import {
  type AgentCommand,
  type AgentFrame,
  agentFrameSchema,
  agentSocketPath,
} from '@mqttlab/shared/messages/agent';
import {
  agentSettingsHeader,
  type DeviceSettings,
  packDeviceSettings,
} from '@mqttlab/shared/messages/device-settings';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';

type FrameOf<T extends AgentFrame['type']> = Extract<AgentFrame, { type: T }>;
export type Outcome = FrameOf<'reply'>['outcome'];

const token = 'token-of-the-test';

/** The server's end of the agent protocol, checking every frame against the contract. */
export class FakeServer {
  readonly token = token;
  readonly frames: AgentFrame[] = [];
  /** Descriptions of invalid frames. */
  readonly faults: string[] = [];
  acknowledges = true;
  /** Why it refuses results; null: it stores them. */
  refuses: string | null = null;
  refusal: { reason: string; remedy: string } | null = null;
  /** false: accepts the connection but never sends welcome. */
  welcomes = true;
  /** Settings for the device; null: like a server without settings. */
  settings: DeviceSettings | null = null;
  pings = 0;
  readonly #http = createServer();
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #listeners = new Set<() => void>();
  #socket: WebSocket | null = null;
  #port = 0;
  #nextId = 1;

  /** Listens on the previous port, so that agents find it again. */
  async start(): Promise<void> {
    this.#sockets.on('headers', (headers) => {
      if (this.settings) headers.push(`${agentSettingsHeader}: ${packDeviceSettings(this.settings)}`);
    });
    this.#http.on('upgrade', (request, socket, head) => {
      // An agent that closes while it is refused.
      socket.on('error', () => socket.destroy());
      const known = request.headers.authorization === `Bearer ${this.token}`;
      if (!known || request.url !== agentSocketPath) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (upgraded) => this.#take(upgraded));
    });
    this.#http.listen(this.#port, '127.0.0.1');
    await once(this.#http, 'listening');
    const address = this.#http.address();
    if (typeof address === 'object' && address !== null) this.#port = address.port;
  }

  get address(): URL {
    return new URL(`http://127.0.0.1:${this.#port}`);
  }

  stop(): void {
    this.#socket?.terminate();
    this.#http.close();
  }

  /** Ends the connection like a broken network. */
  drop(): void {
    this.#socket?.terminate();
  }

  /** Accepts no new connection until `listenAgain`. */
  async goAway(): Promise<void> {
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.drop();
    await closed;
  }

  async listenAgain(): Promise<void> {
    this.#http.listen(this.#port, '127.0.0.1');
    await once(this.#http, 'listening');
  }

  /** Stops reading, like a machine that lost power: the connection stays open. */
  freeze(): void {
    this.#socket?.pause();
  }

  thaw(): void {
    this.#socket?.resume();
  }

  /** Sends any text, including invalid frames. */
  sendRaw(text: string): void {
    this.#socket?.send(text);
  }

  /** Sends a command and waits for its reply. */
  async command(runId: number, command: AgentCommand): Promise<Outcome> {
    const id = this.#nextId;
    this.#nextId += 1;
    this.sendRaw(JSON.stringify({ type: 'command', id, runId, command }));
    return (await this.waitFor('reply', (frame) => frame.id === id)).outcome;
  }

  /** Like `command`, but an error reply is thrown. */
  async mustDo(runId: number, command: AgentCommand): Promise<unknown> {
    const outcome = await this.command(runId, command);
    if (outcome.ok) return outcome.data;
    throw new Error(`${command.kind}: ${outcome.error.code}: ${outcome.error.message}`);
  }

  /** The first matching frame of that type, past or future. */
  async waitFor<T extends AgentFrame['type']>(
    type: T,
    fits: (frame: FrameOf<T>) => boolean = () => true,
  ): Promise<FrameOf<T>> {
    for (;;) {
      const found = this.all(type).find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  all<T extends AgentFrame['type']>(type: T): FrameOf<T>[] {
    return this.frames.filter((frame): frame is FrameOf<T> => frame.type === type);
  }

  async result(key: string): Promise<RoleResult> {
    return (await this.waitFor('result', (frame) => frame.key === key)).result;
  }

  logLines(): LogLine[] {
    return this.all('log').map(({ line }) => line);
  }

  #take(socket: WebSocket): void {
    this.#socket = socket;
    socket.on('ping', () => {
      this.pings += 1;
    });
    socket.on('message', (data) => this.#receive(socket, data.toString()));
  }

  #receive(socket: WebSocket, text: string): void {
    const parsed = agentFrameSchema.safeParse(JSON.parse(text));
    if (!parsed.success) {
      this.faults.push(`${text.slice(0, 200)}: ${parsed.error.message}`);
      return;
    }
    const frame = parsed.data;
    this.frames.push(frame);
    if (frame.type === 'hello') this.#answerHello(socket);
    if (frame.type === 'result' && this.refuses !== null) {
      socket.send(JSON.stringify({ type: 'refuse-result', key: frame.key, reason: this.refuses }));
    } else if (frame.type === 'result' && this.acknowledges) {
      socket.send(JSON.stringify({ type: 'ack', key: frame.key }));
    }
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  #answerHello(socket: WebSocket): void {
    if (this.refusal !== null) socket.send(JSON.stringify({ type: 'refused', ...this.refusal }));
    else if (this.welcomes) {
      socket.send(JSON.stringify({ type: 'welcome', protocol: 1, agentId: 'a1', name: 'test device' }));
    }
  }
}

/** A fake server that is stopped after the test. */
export async function startFakeServer(): Promise<FakeServer> {
  const server = new FakeServer();
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}
