import { randomBytes } from 'node:crypto';
import type { Role } from '@mqttlab/shared/domain/devices/device';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import {
  type AgentCommand,
  type AgentFrame,
  agentProtocolVersion,
  agentSocketPath,
  type ServerFrame,
  serverFrameSchema,
} from '@mqttlab/shared/messages/agent';
import { filePartBytes } from '@mqttlab/shared/messages/result-files';
import { makeCapabilities, makeNegotiated } from '@mqttlab/shared/testing/factories';
import { WebSocket } from 'ws';
import { makeTestResult } from '../../testing/result-factory.ts';
import type { LoadClock } from '../session.ts';

type Kind = AgentCommand['kind'];
type CommandFrame = Extract<ServerFrame, { type: 'command' }>;
type ReplyOutcome = Extract<AgentFrame, { type: 'reply' }>['outcome'];

/** Misbehaviour for a command: an error as answer, or no answer. */
type Misconduct =
  | { error: { code: string; message: string; remedy: string } }
  | 'silence'
  | 'hang up'
  /** Announces that it closes, and never does: for the server the connection is closing. */
  | 'half close';

const startLate = { code: 'start-late', message: 'The device was not ready.', remedy: 'Check its load.' };

/** Implements the agent's side of the protocol over a real WebSocket, without broker or load. */
export class ScriptedAgent {
  readonly role: Role;
  /** By command; stays until it is removed. */
  readonly misconduct = new Map<Kind, Misconduct>();
  readonly commands: CommandFrame[] = [];
  /** Withholds results until `deliver`. */
  holdsResults = false;
  /** Makes results large, incompressibly. */
  paddingBytes = 0;
  bootId = 'another machine';
  /**
   * Time that this device needs to prepare for a start, by a clock: it refuses an earlier measure phase. null: refuses
   * none.
   */
  startNeeds: { ms: number; clock: Pick<LoadClock, 'nowUs'> } | null = null;
  answersClock = true;
  /** Number of requests for its clock. */
  clockQuestions = 0;
  /** Reports this suite as negotiated in every run with TLS. */
  negotiatesSuite: string | null = null;
  protocol = agentProtocolVersion;
  readonly kept = new Map<string, Extract<AgentFrame, { type: 'result' }>>();
  readonly acknowledged: string[] = [];
  /** Files next to its results, by name; `silence` leaves the request unanswered. */
  readonly files = new Map<string, Buffer | 'silence' | { error: string }>();
  /** Number of requests for a part of a file. */
  fetches = 0;
  /** Files that it delivers, by name. */
  readonly setAside = new Map<string, string>();
  /** Reasons by key. */
  readonly refused = new Map<string, string>();
  #specs = new Map<number, TrialSpec>();
  #socket: WebSocket | null = null;
  #halfClosed: WebSocket | null = null;
  #dial: { serverUrl: string; token: string } | null = null;

  constructor(role: Role) {
    this.role = role;
  }

  /** Resolves when the server has accepted it. */
  connect(serverUrl: string, token: string): Promise<void> {
    this.#dial = { serverUrl, token };
    const socket = new WebSocket(new URL(agentSocketPath, serverUrl.replace(/^http/, 'ws')), {
      headers: { authorization: `Bearer ${token}` },
    });
    this.#socket = socket;
    socket.on('open', () => {
      const capabilities = makeCapabilities(this.role, { bootId: this.bootId });
      this.send({ type: 'hello', protocol: this.protocol, capabilities, pending: [...this.kept.keys()] });
    });
    return new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', (code, reason) => reject(new Error(`${code} ${reason}`)));
      socket.on('message', (data) => {
        const frame = serverFrameSchema.parse(JSON.parse(data.toString()));
        if (frame.type === 'welcome') {
          resolve();
          if (!this.holdsResults) this.deliver();
        } else this.#take(frame);
      });
    });
  }

  reconnect(): Promise<void> {
    if (this.#dial === null) throw new Error('it never connected');
    return this.connect(this.#dial.serverUrl, this.#dial.token);
  }

  disconnect(): void {
    this.#socket?.terminate();
    this.#halfClosed?.terminate();
  }

  /** Begins to close, and ignores all later data. */
  halfClose(): void {
    this.#halfClosed = this.#socket;
    this.#socket?.close(1000, 'good-bye');
    this.#socket?.pause();
  }

  send(frame: AgentFrame): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  sendBytes(bytes: Buffer): void {
    this.#socket?.send(bytes);
  }

  /** Sends every result that the server has not acknowledged. */
  deliver(): void {
    for (const frame of this.kept.values()) this.send(frame);
  }

  /** Code and reason of the next close. */
  closed(): Promise<{ code: number; reason: string }> {
    return new Promise((resolve) => {
      this.#socket?.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  #take(frame: ServerFrame): void {
    if (frame.type === 'refuse-result') {
      this.kept.delete(frame.key);
      this.refused.set(frame.key, frame.reason);
    } else if (frame.type === 'fetch-set-aside') {
      this.send({ type: 'set-aside-result', id: frame.id, text: this.setAside.get(frame.name) ?? null });
    } else if (frame.type === 'fetch-file') {
      this.#sendPart(frame);
    } else if (frame.type === 'deliver') {
      const kept = this.kept.get(frame.key);
      if (kept) this.send(kept);
    } else if (frame.type === 'ack') {
      this.kept.delete(frame.key);
      this.acknowledged.push(frame.key);
    } else if (frame.type === 'clock') {
      this.clockQuestions += 1;
      if (!this.answersClock) return;
      const t1Us = performance.now() * 1000;
      this.send({ type: 'clock', id: frame.id, t0Us: frame.t0Us, t1Us, t2Us: performance.now() * 1000 });
    } else if (frame.type === 'command') this.#obey(frame);
  }

  #sendPart({ id, name, offset }: Extract<ServerFrame, { type: 'fetch-file' }>): void {
    this.fetches += 1;
    const file = this.files.get(name);
    if (file === 'silence') return;
    if (file !== undefined && 'error' in file) {
      this.send({ type: 'file-part', id, part: null, error: file.error });
      return;
    }
    const part = file?.subarray(offset, offset + filePartBytes).toString('base64') ?? null;
    this.send({ type: 'file-part', id, part });
  }

  #obey(frame: CommandFrame): void {
    const { id, runId, command } = frame;
    this.commands.push(frame);
    const isLate =
      command.kind === 'start' &&
      this.startNeeds !== null &&
      command.measureAtUs < this.startNeeds.clock.nowUs() + this.startNeeds.ms * 1000;
    const misconduct = isLate ? { error: startLate } : this.misconduct.get(command.kind);
    if (misconduct === 'silence') return;
    if (misconduct === 'hang up') {
      this.disconnect();
      return;
    }
    if (misconduct === 'half close') {
      this.halfClose();
      return;
    }
    const outcome: ReplyOutcome =
      misconduct === undefined
        ? { ok: true, data: this.#answer(runId, command) }
        : { ok: false, error: misconduct.error };
    this.send({ type: 'reply', id, runId, outcome });
    if (outcome.ok && (command.kind === 'teardown' || command.kind === 'abort')) {
      this.#conclude(runId, command.kind === 'abort' ? command.reason : null);
    }
  }

  #answer(runId: number, command: AgentCommand): unknown {
    if (command.kind === 'prepare-broker' || command.kind === 'prepare-client') {
      this.#specs.set(runId, command.spec);
      return { address: '127.0.0.1', port: 1883, kind: 'mosquitto', version: '2.0.11', pid: 4711 };
    }
    if (command.kind === 'connect') return { negotiated: this.#negotiated(runId) };
    return command.kind === 'drain' ? { messages: 200, timedOut: false } : null;
  }

  #negotiated(runId: number) {
    const spec = this.#specs.get(runId);
    if (!spec) throw new Error(`run ${runId} is not prepared`);
    const { group, certificate, mqttVersion } = spec;
    const cipherSuite = spec.cipherSuite === null ? null : (this.negotiatesSuite ?? spec.cipherSuite);
    const protocol = spec.security === 'plain' ? null : spec.security.replace('TLS ', 'TLSv');
    const grantedQos = this.role === 'subscriber' ? spec.qos : null;
    return makeNegotiated({ protocol, cipherSuite, group, certificate, mqttVersion, grantedQos });
  }

  #conclude(runId: number, abortReason: string | null): void {
    const spec = this.#specs.get(runId);
    if (!spec) return;
    this.#specs.delete(runId);
    const key = `${runId}-${this.role}`;
    const padding = { padding: randomBytes(this.paddingBytes / 2).toString('hex') };
    const made = makeTestResult(this.role, { spec });
    const environment = { ...made.environment, 'device.bootId': this.bootId, ...padding };
    const good = { ...made, environment, clock: null };
    const message = `The run was aborted: ${abortReason}`;
    const result: RoleResult =
      abortReason === null
        ? good
        : { ...good, counters: makeCounters(), failure: { code: 'aborted', message, remedy: 'Retry.' } };
    const kept = { type: 'result' as const, key, runId, result };
    this.kept.set(key, kept);
    if (!this.holdsResults) this.send(kept);
  }
}
