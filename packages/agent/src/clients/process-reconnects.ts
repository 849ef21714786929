import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { Failure } from '@mqttlab/shared/kit/failure';
import { within } from '@mqttlab/shared/kit/waiting';
import type { MakeMessageConnection } from '../load/role-load.ts';
import type { PublishTemplate } from '../mqtt/packets.ts';
import { loadFailure, toLoadFailure } from '../processes/failures.ts';
import { type ClientProcess, clientFailure } from './client-program.ts';
import {
  type OpenedConnection,
  type ReconnectAnswer,
  type ReportedConnections,
  reconnectAnswerSchema,
} from './reported-connections.ts';
import { TextLineWriter } from './text-lines.ts';

const answerMs = 20_000;

export interface ProcessReconnectsOptions {
  /** Name of one client in a sentence. */
  name: string;
  template: PublishTemplate;
  reported: ReportedConnections;
  makeClient: (onData: (chunk: Buffer) => void) => ClientProcess;
  onTrouble: (failure: RoleFailure) => void;
}

/** Publishers in separate processes that open a connection for each message. */
export class ProcessReconnects {
  readonly #options: ProcessReconnectsOptions;
  readonly #lanes: Lane[] = [];
  /** Local ports of connections that were measured. */
  readonly measuredPorts: number[] = [];
  readonly ports: number[] = [];

  constructor(options: ProcessReconnectsOptions) {
    this.#options = options;
  }

  /** Starts the processes; each opens and closes a connection. Resolves with the first one. Rejects with Failure. */
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

  /** Before `connect` there are no processes to write to. */
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
      // The process closes it when it opens the next one.
      forget: () => {},
      measured: () => {
        this.measuredPorts.push(port);
        // The kernel counts them; they are read after the load.
        return { bytesSent: 0, bytesReceived: 0 };
      },
    };
  };

  #check(opened: OpenedConnection): void {
    try {
      this.#options.reported.checkOne(opened);
    } catch (error) {
      this.#options.onTrouble(toLoadFailure(error));
    }
  }
}

/** One process and its answers, line by line, in the order of the requests. */
class Lane {
  readonly client: ClientProcess;
  readonly #name: string;
  #buffered = '';
  #awaited: ((answer: ReconnectAnswer) => void) | null = null;

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
    const asked = Promise.withResolvers<ReconnectAnswer>();
    this.#awaited = asked.resolve;
    this.client.stdin.write(`${word}\n`);
    const tooLong = () => loadFailure('timeout', `The ${this.#name} did not ${word} its connection.`);
    const answer = await within(answerMs, tooLong, asked.promise);
    if (!('failed' in answer)) return answer;
    throw new Failure(clientFailure(this.#name, answer.failed));
  }

  #read(chunk: Buffer): void {
    this.#buffered += chunk.toString('utf8');
    for (let end = this.#buffered.indexOf('\n'); end >= 0; end = this.#buffered.indexOf('\n')) {
      const line = this.#buffered.slice(0, end);
      this.#buffered = this.#buffered.slice(end + 1);
      const awaited = this.#awaited;
      this.#awaited = null;
      awaited?.(readAnswer(line));
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
