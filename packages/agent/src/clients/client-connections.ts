import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { Failure } from '@mqttlab/shared/kit/failure';
import { Requests } from '@mqttlab/shared/kit/requests';
import { waitAtMost } from '@mqttlab/shared/kit/waiting';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import * as z from 'zod';
import type { MakeMessageConnection } from '../load/role-load.ts';
import type { PublishTemplate } from '../mqtt/packets.ts';
import { loadFailure, toLoadFailure } from '../processes/failures.ts';
import { protocolOf } from '../tls/connect-options.ts';
import { type ClientProcess, clientFailure } from './client-program.ts';
import { probePrefix, TextLineWriter } from './text-lines.ts';

/**
 * The connection parameters that a client reads from its library after it has connected and, for a
 * subscriber, subscribed.
 */
const reportedSchema = z.object({
  /** Name used by Node; null without TLS. */
  protocol: z.string().nullable(),
  cipherSuite: z.string().nullable(),
  grantedQos: z.literal([0, 1, 2]).nullable(),
});

export type ReportedConnection = z.infer<typeof reportedSchema>;

/**
 * A connection for one message: its local endpoint and the duration of each phase, in µs, measured by the
 * client's clock.
 */
const openedSchema = reportedSchema.extend({
  address: z.string(),
  port: z.number(),
  tcpUs: z.number(),
  tlsUs: z.number().nullable(),
  connectUs: z.number(),
  setUpUs: z.number(),
});

/** A client's response to "open" and "close". */
const reconnectAnswerSchema = z.union([
  z.object({ opened: openedSchema }),
  z.object({ closed: z.literal(true) }),
  z.object({ failed: z.string() }),
]);

type OpenedConnection = z.infer<typeof openedSchema>;
export type ReconnectAnswer = z.infer<typeof reconnectAnswerSchema>;

/** Collects the first line that each client of a run prints. */
export class ReportedConnections {
  readonly #name: string;
  readonly #spec: TrialSpec;
  readonly #reported: (ReportedConnection | null)[] = [];

  constructor(name: string, spec: TrialSpec) {
    this.#name = name;
    this.#spec = spec;
  }

  /** Separates the line in which a client reports its connection from the rest of its output. */
  listen(index: number, onData: (chunk: Buffer) => void): (chunk: Buffer) => void {
    this.#reported[index] = null;
    let buffered = Buffer.alloc(0);
    return (chunk) => {
      if (this.#reported[index]) return onData(chunk);
      buffered = Buffer.concat([buffered, chunk]);
      const end = buffered.indexOf('\n');
      if (end < 0) return;
      this.#reported[index] = parseReport(buffered.toString('utf8', 0, end));
      buffered = buffered.subarray(end + 1);
      if (this.#reported[index]) onData(buffered);
    };
  }

  /**
   * Returns the granted QoS of the subscriptions, or null if no client reported it. Throws Failure if a
   * connection differs from the trial.
   */
  check(): ReportedConnection['grantedQos'] {
    for (const report of this.#reported) this.checkOne(report);
    const granted = this.#reported.flatMap((report) => report?.grantedQos ?? []);
    return granted.length === 0 ? null : (Math.min(...granted) as ReportedConnection['grantedQos']);
  }

  /** Throws Failure if the connection differs from the trial. */
  checkOne(report: ReportedConnection | null): void {
    const { security, cipherSuite } = this.#spec;
    const wanted = describe(protocolOf(security), cipherSuite);
    const got = report === null ? 'unknown' : describe(report.protocol, cipherSuite && report.cipherSuite);
    if (got === wanted) return;
    const words = `The ${this.#name} negotiated ${got}, but the trial requires ${wanted}.`;
    throw loadFailure('negotiation-mismatch', words);
  }
}

function describe(protocol: string | null, cipherSuite: string | null): string {
  return protocol === null ? 'plain MQTT' : `${protocol} with ${cipherSuite ?? 'any suite'}`;
}

/** Returns null if the line is not a report. */
function parseReport(line: string): ReportedConnection | null {
  try {
    return reportedSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

const answerMs = 20_000;

export interface ProcessReconnectsOptions {
  /** Name of one client within a sentence. */
  name: string;
  template: PublishTemplate;
  reported: ReportedConnections;
  makeClient: (onData: (chunk: Buffer) => void) => ClientProcess;
  onFailure: (failure: RoleFailure) => void;
}

/** Publishers in separate processes that open a connection for each message. */
export class ProcessReconnects {
  readonly #options: ProcessReconnectsOptions;
  readonly #lanes: Lane[] = [];
  /** Local ports of the measured connections. */
  readonly measuredPorts: number[] = [];
  readonly ports: number[] = [];

  constructor(options: ProcessReconnectsOptions) {
    this.#options = options;
  }

  /**
   * Starts the processes, each of which opens and closes a connection. Resolves with the first connection.
   * Rejects with Failure.
   */
  async connect(count: number): Promise<{ clients: ClientProcess[]; first: OpenedConnection }> {
    const { makeClient, name } = this.#options;
    for (let index = 0; index < count; index += 1) this.#lanes.push(new Lane(name, makeClient));
    const opened = await Promise.all(
      this.#lanes.map(async (lane) => {
        const connection = await lane.open();
        this.#options.reported.checkOne(connection);
        this.ports.push(connection.port);
        await lane.close();
        return connection;
      }),
    );
    const [first] = opened;
    if (first === undefined) throw loadFailure('load-worker', `There is no ${name}.`);
    return { clients: this.#lanes.map(({ client }) => client), first };
  }

  /** Before `connect`, there are no processes to write to. */
  readonly makeConnection: MakeMessageConnection = (index, _traffic, _onLost) => {
    const lane = this.#lanes[index];
    if (lane === undefined) throw loadFailure('load-worker', `There is no ${this.#options.name} ${index}.`);
    let port = 0;
    return {
      writer: new TextLineWriter(lane.client.stdin, this.#options.template),
      open: async () => {
        const opened = await lane.open();
        port = opened.port;
        this.ports.push(port);
        this.#check(opened);
        return opened;
      },
      close: () => lane.close(),
      // The process closes this connection when it opens the next one.
      forget: () => {},
      measured: () => {
        this.measuredPorts.push(port);
        // The kernel counts the bytes; they are read after the load.
        return { bytesSent: 0, bytesReceived: 0 };
      },
    };
  };

  #check(opened: OpenedConnection): void {
    try {
      this.#options.reported.checkOne(opened);
    } catch (error) {
      this.#options.onFailure(toLoadFailure(error));
    }
  }
}

/** One process and its responses, line by line, in the order of the requests. */
class Lane {
  readonly client: ClientProcess;
  readonly #name: string;
  readonly #requests = new Requests<'answer', ReconnectAnswer>();
  #buffered = '';

  constructor(name: string, makeClient: ProcessReconnectsOptions['makeClient']) {
    this.#name = name;
    this.client = makeClient((chunk) => this.#read(chunk));
  }

  async open(): Promise<OpenedConnection> {
    const answer = await this.#ask('open');
    if ('opened' in answer) return answer.opened;
    throw loadFailure('load-worker', `The ${this.#name} sent an unexpected answer to "open".`);
  }

  async close(): Promise<void> {
    await this.#ask('close');
  }

  async #ask(word: 'open' | 'close'): Promise<ReconnectAnswer> {
    const send = () => void this.client.stdin.write(`${word}\n`);
    const late = () => loadFailure('timeout', `The ${this.#name} did not ${word} its connection.`);
    const answer = await this.#requests.ask('answer', { send, timeout: { ms: answerMs, late } });
    if (!('failed' in answer)) return answer;
    throw new Failure(clientFailure(this.#name, answer.failed));
  }

  #read(chunk: Buffer): void {
    this.#buffered += chunk.toString('utf8');
    for (let end = this.#buffered.indexOf('\n'); end >= 0; end = this.#buffered.indexOf('\n')) {
      const line = this.#buffered.slice(0, end);
      this.#buffered = this.#buffered.slice(end + 1);
      this.#requests.resolve('answer', readAnswer(line));
    }
  }
}

function readAnswer(line: string): ReconnectAnswer {
  try {
    return reconnectAnswerSchema.parse(JSON.parse(line));
  } catch {
    return { failed: `it answered ${line.slice(0, 200)}` };
  }
}

type MakeClient = (
  role: PrepareClient['role'],
  onData: (chunk: Buffer) => void,
  onLost: (why: string) => void,
) => ClientProcess;

interface ProbesOptions {
  command: Pick<PrepareClient, 'runTag' | 'role' | 'share'>;
  /** Name of one client within a sentence. */
  name: string;
  makeClient: MakeClient;
}

/**
 * The first wait. Each wait is longer than the previous one, so that a slow link is not filled with probes.
 */
const firstWaitMs = 100;
const growth = 1.5;
const probeTimeoutMs = 15_000;
const helperKillMs = 1_000;

/**
 * Detects connected clients. Not every client reports its connection; mosquitto clients do so only together
 * with every message. Probe lines are therefore sent on the topic until each client has passed on a line.
 * Subscribers ignore them.
 */
export class Probes {
  readonly #options: ProbesOptions;
  readonly #trouble = Promise.withResolvers<never>();
  readonly #seen = new Set<string>();
  readonly #all = Promise.withResolvers<void>();
  #wanted = Number.POSITIVE_INFINITY;
  /** The client at the other end, while clients are being connected. */
  #helper: ClientProcess | null = null;
  #over = false;

  constructor(options: ProbesOptions) {
    this.#options = options;
    this.#trouble.promise.catch(() => {});
  }

  /**
   * Ends the wait with a failure. Returns false if the wait has already ended; the caller then reports the
   * failure.
   */
  fail(failure: RoleFailure): boolean {
    if (this.#over) return false;
    this.#trouble.reject(new Failure(failure));
    return true;
  }

  /** Called when a subscriber received a probe. */
  note(subscriber: number, text: string): void {
    if (text.startsWith(this.#line('s'))) this.#see(String(subscriber));
  }

  #see(client: string): void {
    this.#seen.add(client);
    if (this.#seen.size >= this.#wanted) this.#all.resolve();
  }

  /** Subscribes to the probes that the publishers send. */
  async listen(): Promise<void> {
    let received = '';
    this.#helper = this.#makeHelper('subscriber', (chunk) => {
      received = (received + chunk.toString('latin1')).slice(-65_536);
      for (const [, index] of received.matchAll(
        new RegExp(`${escapePattern(this.#line('p'))}(\\d+)\\n`, 'g'),
      )) {
        if (index !== undefined) this.#see(index);
      }
    });
  }

  async awaitPublishers(publishers: readonly ClientProcess[]): Promise<void> {
    await this.#repeat(publishers.length, () => {
      for (const [index, publisher] of publishers.entries()) {
        if (!this.#seen.has(String(index))) publisher.stdin.write(`${this.#line('p')}${index}\n`);
      }
    });
  }

  async awaitSubscribers(count: number): Promise<void> {
    const helper = this.#makeHelper('publisher', () => {});
    this.#helper = helper;
    await this.#repeat(count, () => helper.stdin.write(`${this.#line('s')}\n`));
  }

  async stop(): Promise<void> {
    this.#over = true;
    await this.#helper?.stop(helperKillMs);
  }

  async #repeat(count: number, send: () => void): Promise<void> {
    const deadlineMs = performance.now() + probeTimeoutMs;
    let waitMs = firstWaitMs;
    this.#wanted = count;
    while (this.#seen.size < count) {
      if (performance.now() > deadlineMs) {
        const message = `${count - this.#seen.size} of ${count} ${this.#options.name}s carried no message within ${probeTimeoutMs / 1000} s.`;
        throw loadFailure('timeout', message);
      }
      send();
      const remainingMs = Math.max(0, deadlineMs - performance.now());
      await Promise.race([
        waitAtMost(Math.min(waitMs, remainingMs), this.#all.promise),
        this.#trouble.promise,
      ]);
      waitMs *= growth;
    }
    this.#over = true;
  }

  #makeHelper(role: PrepareClient['role'], onData: (chunk: Buffer) => void): ClientProcess {
    return this.#options.makeClient(role, onData, (why) => {
      this.fail(clientFailure(this.#options.name, why));
    });
  }

  /** Returns the start of a probe line of this run. */
  #line(of: 's' | 'p'): string {
    const { runTag, share } = this.#options.command;
    // Every device also receives the probes from the others.
    const device = share === null || of === 's' ? '' : `${share.index}-`;
    return `${probePrefix}${runTag.toString(16)}-${of}${device}`;
  }
}

function escapePattern(text: string): string {
  return text.replace(/[^\w-]/g, '\\$&');
}
