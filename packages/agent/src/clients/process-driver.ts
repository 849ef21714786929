import { join } from 'node:path';
import { reconnects } from '@mqttlab/shared/catalogue/workloads';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { Failure } from '@mqttlab/shared/kit/failure';
import { waitAtMost } from '@mqttlab/shared/kit/waiting';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import { ProcessGroupCpuTime } from '../instruments/cpu.ts';
import { PhaseMeter } from '../load/counting/phase-meter.ts';
import type { MicrosecondClock } from '../load/pacing/clock.ts';
import { toLocalInstants } from '../load/pacing/timeline.ts';
import { PublisherLoad } from '../load/publisher-load.ts';
import { ReconnectLoad } from '../load/reconnect-load.ts';
import type { RoleLoad } from '../load/role-load.ts';
import { SubscriberLoad } from '../load/subscriber-load.ts';
import {
  emptyLoadResult,
  type LoadDriver,
  type LoadDriverOptions,
  type LoadResult,
  type LoadSnapshot,
} from '../load/worker-messages.ts';
import { makePublishTemplate, type PublishTemplate } from '../mqtt/packets.ts';
import { ChildRecords } from '../processes/child-records.ts';
import { loadFailure, makeLoadFailure } from '../processes/failures.ts';
import { localEndsOf } from '../processes/network.ts';
import { findDeathSignalCommand } from '../processes/programs.ts';
import { clientKinds } from './client-kinds.ts';
import {
  type ClientKind,
  ClientProcess,
  type ClientProgram,
  clientFailure,
  type ProcessEngine,
} from './client-program.ts';
import { ConnectionBytes } from './connection-bytes.ts';
import { checkOffer, describeNegotiated } from './offered-tls.ts';
import {
  ProcessReconnects,
  type ProcessReconnectsOptions,
  ReportedConnections,
} from './reported-connections.ts';
import { probePrefix, TextLineReader, TextLineWriter } from './text-lines.ts';

const procRoot = '/proc';
const clientKillMs = 1_500;
const ignore = (): void => {};

interface ProcessDriverOptions extends LoadDriverOptions {
  engine: ProcessEngine;
}

/**
 * Load by separate client programs, one process per connection. The built-in publisher paces lines into their pipes and
 * the built-in subscriber reads from the others; the processes are measured.
 */
export class ProcessDriver implements LoadDriver {
  readonly #options: ProcessDriverOptions;
  readonly #kind: ClientKind;
  readonly #made: ReturnType<typeof makeProcessLoad>;
  readonly #meter: PhaseMeter;
  readonly #clients: ClientProcess[] = [];
  #program: ClientProgram | null = null;
  /** Command prefix: setpriv(1), if installed. */
  #death: readonly string[] = [];
  readonly #reported: ReportedConnections;
  #records: ChildRecords | null = null;
  #singleGroup = false;
  #cpu: ProcessGroupCpuTime | null = null;
  #bytes: ConnectionBytes | null = null;
  #startedAt: StartLoad | null = null;
  #finished = false;
  #negotiated: Connected['negotiated'] | null = null;
  #ports: number[] = [];
  #started = 0;

  constructor(options: ProcessDriverOptions) {
    const { command, clock, engine } = options;
    this.#options = options;
    this.#kind = clientKinds[engine];
    this.#reported = new ReportedConnections(this.#kind.name, command.spec);
    this.#made = makeProcessLoad({
      command,
      clock,
      name: this.#kind.name,
      reported: this.#reported,
      makeClient: (onData) => this.#make('publisher', onData, (why) => this.#lose(why)),
      onTrouble: options.onTrouble,
    });
    this.#meter = new PhaseMeter({
      nowUs: () => this.#nowUs(),
      wireBytes: () => null,
      cpuUs: () => this.#readCpuUs(),
      onPhase: options.onPhase,
    });
  }

  get role(): PrepareClient['role'] {
    return this.#options.command.role;
  }

  get processes(): readonly number[] {
    return this.#clients.map(({ pid }) => pid);
  }

  /** Unknown during the load: the sockets belong to the clients. */
  wireBytes(): null {
    return null;
  }

  /** Writes the clients' files and checks that they offer the trial's parameters. Rejects with Failure. */
  async prepare(): Promise<void> {
    const { command, folder, entry } = this.#options;
    if (folder === null) throw loadFailure('load-worker', `The ${this.#kind.name}s were given no folder.`);
    this.#records = new ChildRecords({
      folder: this.#options.recordsFolder ?? join(folder, 'children'),
      procRoot,
      onTrouble: (text) => process.stderr.write(`${text}\n`),
    });
    this.#death = await findDeathSignalCommand();
    this.#bytes = new ConnectionBytes({ broker: command.broker, records: this.#records });
    await this.#bytes.start();
    const program = await this.#kind.prepare({ command, folder, entry });
    this.#program = program;
    if (command.spec.security === 'plain') return;
    const offered = await checkOffer(command, this.#kind.name, (port) => {
      const asked = program.command('publisher', { address: '127.0.0.1', port }, 'lab-offer');
      const probing = this.#launch(asked, ignore, ignore);
      if (this.#made.reconnects !== null) probing.stdin.write('open\n');
      return () => void probing.stop(0);
    });
    this.#singleGroup = offered.groups.length === 1;
  }

  /** Resolves when a message has passed through each client. */
  async connect(): Promise<Connected> {
    const { command } = this.#options;
    if (this.#made.reconnects !== null) return this.#connectOneByOne(this.#made.reconnects);
    const probes = new Probes({
      command,
      name: this.#kind.name,
      makeClient: (role, onData, onLost) => this.#make(role, onData, onLost),
    });
    try {
      const whenLost = (why: string): void => {
        if (!probes.fail(clientFailure(this.#kind.name, why))) this.#lose(why);
      };
      if (command.role === 'publisher') await this.#connectPublishers(probes, whenLost);
      else await this.#connectSubscribers(probes, whenLost);
    } finally {
      await probes.stop();
    }
    const { port } = command.broker;
    const ends = this.#clients.flatMap(({ pid }) => localEndsOf(procRoot, pid, port));
    this.#ports = ends.map((end) => end.port);
    this.#negotiated = describeNegotiated(command, {
      local: ends[0] ?? null,
      singleGroup: this.#singleGroup,
      grantedQos: this.#reported.check(),
    });
    return { negotiated: this.#negotiated };
  }

  async #connectOneByOne(lanes: ProcessReconnects): Promise<Connected> {
    const { command } = this.#options;
    const { clients, first } = await lanes.connect(command.spec.publishers);
    this.#clients.push(...clients);
    this.#negotiated = describeNegotiated(command, {
      local: first,
      singleGroup: this.#singleGroup,
      grantedQos: null,
    });
    return { negotiated: this.#negotiated };
  }

  start(at: StartLoad): void {
    const { offsetUs } = this.#options.command.clock;
    this.#startedAt = at;
    this.#cpu = new ProcessGroupCpuTime(procRoot, this.processes);
    this.#made.load.start(toLocalInstants(at, offsetUs), (phase) => {
      this.#meter.begin(phase, this.#clients.length);
      void this.#bytes?.mark();
    });
  }

  async drain(expected: number | null): Promise<Drained> {
    if (this.#startedAt === null) return { messages: 0, timedOut: false };
    const drained = await this.#made.load.drain(expected);
    this.#meter.end({ connections: this.#clients.length });
    await this.#bytes?.mark();
    return drained;
  }

  progress(): (LoadSnapshot & { atMs: number }) | null {
    if (this.#startedAt === null || this.#finished) return null;
    return { ...this.#made.load.snapshot(), atMs: (this.#nowUs() - this.#startedAt.measureAtUs) / 1000 };
  }

  cutBucket(): LoadSnapshot['latencyMs'] {
    return this.#made.load.cutBucket?.() ?? null;
  }

  /** Never rejects. Publishers exit when everything is acknowledged. */
  async finish(): Promise<LoadResult> {
    this.#finished = true;
    this.#made.load.stop();
    this.#meter.end({ connections: this.#clients.length });
    const codes = await Promise.all(
      this.#clients.map((client) =>
        this.role === 'publisher' ? client.finish(clientKillMs) : client.stop(clientKillMs).then(() => 0),
      ),
    );
    this.#cpu?.close();
    const { ports, measuredPorts } = this.#made.reconnects ?? { ports: this.#ports, measuredPorts: [] };
    const counted = await this.#bytes?.finish(this.#meter.records, { ports, measuredPorts });
    const figures = this.#made.load.figures();
    const { sent, connectionsOpened } = figures.counters;
    const { engine, command } = this.#options;
    const isAcknowledged = command.spec.qos > 0 && codes.every((code) => code === 0);
    const counters = {
      ...figures.counters,
      acknowledged: isAcknowledged ? (this.#made.reconnects === null ? sent : connectionsOpened) : 0,
      connectionBytesSent: counted?.measured?.sent ?? 0,
      connectionBytesReceived: counted?.measured?.received ?? 0,
    };
    return {
      ...emptyLoadResult,
      phases: counted?.phases ?? [...this.#meter.records],
      negotiated: this.#negotiated,
      localPorts: [...ports],
      ...figures,
      facts: { 'client.engine': engine, 'client.processes': this.#clients.length, ...counted?.facts },
      counters: this.#startedAt === null ? null : counters,
    };
  }

  async #connectPublishers(probes: Probes, onLost: (why: string) => void): Promise<void> {
    const { spec } = this.#options.command;
    const { template } = this.#made;
    await probes.listen();
    for (let index = 0; index < spec.publishers; index += 1) {
      const onData = this.#listen(index, ignore);
      const client = this.#make('publisher', onData, onLost);
      this.#clients.push(client);
      this.#made.load.attach({ writer: new TextLineWriter(client.stdin, template), grant: null }, index);
    }
    await probes.awaitPublishers(this.#clients);
  }

  async #connectSubscribers(probes: Probes, onLost: (why: string) => void): Promise<void> {
    const { clock, command } = this.#options;
    const { load } = this.#made;
    for (let index = 0; index < command.spec.subscribers; index += 1) {
      const traffic = load.attach({ writer: { write: (_bytes, done) => done() }, grant: null }, index);
      const reader = new TextLineReader({ clock, traffic, onProbe: (text) => probes.note(index, text) });
      const onData = this.#listen(index, (chunk) => reader.read(chunk));
      this.#clients.push(this.#make('subscriber', onData, onLost));
    }
    await probes.awaitSubscribers(command.spec.subscribers);
  }

  #make(
    role: PrepareClient['role'],
    onData: (chunk: Buffer) => void,
    onLost: (why: string) => void,
  ): ClientProcess {
    const { command } = this.#options;
    this.#started += 1;
    // At most 23 characters, the limit of MQTT 3.1.
    const device = command.share === null ? '' : `${command.share.index.toString(36)}-`;
    const id = `lab-${command.runTag.toString(16)}-m${command.role.charAt(0)}${device}${this.#started}`;
    return this.#launch(this.#prepared().command(role, command.broker, id), onData, onLost);
  }

  #launch(command: string[], onData: (chunk: Buffer) => void, onLost: (why: string) => void): ClientProcess {
    const { environment } = this.#prepared();
    if (this.#records === null) throw this.#unprepared();
    return new ClientProcess({
      command: [...this.#death, ...command],
      environment,
      records: this.#records,
      onData,
      onLost,
    });
  }

  #prepared(): ClientProgram {
    if (this.#program === null) throw this.#unprepared();
    return this.#program;
  }

  #unprepared(): Error {
    return loadFailure('load-worker', `The ${this.#kind.name}s were not prepared.`);
  }

  #listen(index: number, onData: (chunk: Buffer) => void): (chunk: Buffer) => void {
    return this.#prepared().reportsConnection ? this.#reported.listen(index, onData) : onData;
  }

  #lose(why: string): void {
    if (!this.#finished)
      this.#options.onTrouble(makeLoadFailure('connection-lost', `The ${this.#kind.name} ended: ${why}`));
  }

  #nowUs(): number {
    return this.#options.clock.nowUs() + this.#options.command.clock.offsetUs;
  }

  #readCpuUs(): number | null {
    try {
      return this.#cpu?.readUs() ?? null;
    } catch {
      return null;
    }
  }
}

type ProcessLoadOptions = Omit<ProcessReconnectsOptions, 'template'> & {
  command: PrepareClient;
  clock: MicrosecondClock;
};

interface ProcessLoad {
  load: RoleLoad;
  /** Template of the built-in publisher, for the writer that turns messages into lines. */
  template: PublishTemplate;
  /** Set if a publisher opens a connection for each message. */
  reconnects: ProcessReconnects | null;
}

/** Traffic of the built-in publisher and subscriber while other programs own the connections. */
function makeProcessLoad({ command: asked, clock, ...options }: ProcessLoadOptions): ProcessLoad {
  // The clients handle acknowledgements.
  const command = asked.role === 'publisher' ? { ...asked, spec: { ...asked.spec, qos: 0 as const } } : asked;
  const inner = { command, clock, payloadCipher: null };
  const template = makePublishTemplate(command.spec, command.runTag);
  if (command.role === 'subscriber') return { load: new SubscriberLoad(inner), template, reconnects: null };
  if (!reconnects(command.spec)) return { load: new PublisherLoad(inner), template, reconnects: null };
  const lanes = new ProcessReconnects({ ...options, template });
  const { makeConnection } = lanes;
  return { load: new ReconnectLoad({ ...inner, makeConnection }), template, reconnects: lanes };
}

type MakeClient = (
  role: PrepareClient['role'],
  onData: (chunk: Buffer) => void,
  onLost: (why: string) => void,
) => ClientProcess;

interface ProbesOptions {
  command: Pick<PrepareClient, 'runTag' | 'role' | 'share'>;
  /** Name of one client in a sentence. */
  name: string;
  makeClient: MakeClient;
}

/** The first wait; each one is longer than the previous, so that a slow link is not filled with probes. */
const firstWaitMs = 100;
const growth = 1.5;
const timeoutMs = 15_000;
const helperKillMs = 1_000;

/**
 * Detects connected clients. Not every client reports its connection (those of mosquitto only together with every
 * message), so probe lines are sent on the topic until each client has carried one. Subscribers ignore them.
 */
class Probes {
  readonly #options: ProbesOptions;
  readonly #trouble = Promise.withResolvers<never>();
  readonly #seen = new Set<string>();
  readonly #all = Promise.withResolvers<void>();
  #wanted = Number.POSITIVE_INFINITY;
  /** The other end, for as long as clients are being connected. */
  #helper: ClientProcess | null = null;
  #over = false;

  constructor(options: ProbesOptions) {
    this.#options = options;
    this.#trouble.promise.catch(() => {});
  }

  /** Ends the wait with a failure; false if the wait is over, and the failure is the caller's to report. */
  fail(failure: RoleFailure): boolean {
    if (this.#over) return false;
    this.#trouble.reject(new Failure(failure));
    return true;
  }

  /** A subscriber received a probe. */
  note(subscriber: number, text: string): void {
    if (text.startsWith(this.#line('s'))) this.#see(String(subscriber));
  }

  #see(client: string): void {
    this.#seen.add(client);
    if (this.#seen.size >= this.#wanted) this.#all.resolve();
  }

  /** Subscribes to the probes of the publishers. */
  async listen(): Promise<void> {
    let heard = '';
    this.#helper = this.#makeHelper('subscriber', (chunk) => {
      heard = (heard + chunk.toString('latin1')).slice(-65_536);
      for (const [, index] of heard.matchAll(new RegExp(`${escapePattern(this.#line('p'))}(\\d+)\\n`, 'g'))) {
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
    const deadlineMs = performance.now() + timeoutMs;
    let waitMs = firstWaitMs;
    this.#wanted = count;
    while (this.#seen.size < count) {
      if (performance.now() > deadlineMs) {
        const message = `${count - this.#seen.size} of ${count} ${this.#options.name}s carried no message in ${timeoutMs / 1000} s.`;
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

  /** Of this run alone. */
  #line(of: 's' | 'p'): string {
    const { runTag, share } = this.#options.command;
    // Every device receives the probes of the others too.
    const device = share === null || of === 's' ? '' : `${share.index}-`;
    return `${probePrefix}${runTag.toString(16)}-${of}${device}`;
  }
}

function escapePattern(text: string): string {
  return text.replace(/[^\w-]/g, '\\$&');
}
