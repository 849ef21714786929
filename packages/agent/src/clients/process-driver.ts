import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { reconnects } from '@mqttlab/shared/catalogue/workloads';
import type { PhaseRecord, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import { Requests } from '@mqttlab/shared/kit/requests';
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
import type { WireBytes } from '../mqtt/connection-source.ts';
import { makePublishTemplate, type PublishTemplate } from '../mqtt/packets.ts';
import { ChildRecords } from '../processes/child-records.ts';
import { loadFailure, makeLoadFailure } from '../processes/failures.ts';
import { localEndsOf } from '../processes/network.ts';
import { findDeathSignalCommand } from '../processes/programs.ts';
import { ClosedConnections } from '../shaping/tcp-state.ts';
import {
  Probes,
  ProcessReconnects,
  type ProcessReconnectsOptions,
  ReportedConnections,
} from './client-connections.ts';
import { clientKinds } from './client-kinds.ts';
import {
  type ClientKind,
  ClientProcess,
  type ClientProgram,
  clientFailure,
  confirmsMessages,
  type ProcessEngine,
} from './client-program.ts';
import { checkOffer, describeNegotiated } from './offered-tls.ts';
import { ConfirmedLineWriter, TextLineReader, TextLineWriter } from './text-lines.ts';

const procRoot = '/proc';
const clientKillMs = 1_500;
const ignore = (): void => {};

interface ProcessDriverOptions extends LoadDriverOptions {
  engine: ProcessEngine;
}

/**
 * Load from separate client programs, one process per connection. The built-in publisher writes paced lines
 * to the pipes of the publishers, and the built-in subscriber reads from those of the subscribers. The client
 * processes are measured.
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
      onFailure: options.onFailure,
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

  /** Returns null, because the bytes are unknown during the load: the sockets belong to the clients. */
  wireBytes(): null {
    return null;
  }

  /** Writes the clients' files and checks that they offer the trial's parameters. Rejects with Failure. */
  async prepare(): Promise<void> {
    const { command, folder, entry } = this.#options;
    if (folder === null) throw loadFailure('load-worker', `No folder is set for the ${this.#kind.name}s.`);
    this.#records = new ChildRecords({
      folder: this.#options.recordsFolder ?? join(folder, 'children'),
      procRoot,
      onFailure: (text) => process.stderr.write(`${text}\n`),
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

  /** Never rejects. Publishers exit when everything has been acknowledged. */
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
      let read: (chunk: Buffer) => void = ignore;
      const onData = this.#listen(index, (chunk) => read(chunk));
      const client = this.#make('publisher', onData, onLost);
      this.#clients.push(client);
      const confirmed = this.#confirms ? new ConfirmedLineWriter(client.stdin, template) : null;
      if (confirmed !== null) read = (chunk) => confirmed.read(chunk);
      const writer = confirmed ?? new TextLineWriter(client.stdin, template);
      this.#made.load.attach({ writer, grant: null }, index);
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
    // Has at most 23 characters, the limit of MQTT 3.1.
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

  /**
   * Returns true if the clients confirm messages. Mosquitto clients cannot, so planning refuses the maximum
   * rate for them.
   */
  get #confirms(): boolean {
    return this.#prepared().reportsConnection && confirmsMessages(this.#options.command);
  }

  #listen(index: number, onData: (chunk: Buffer) => void): (chunk: Buffer) => void {
    return this.#prepared().reportsConnection ? this.#reported.listen(index, onData) : onData;
  }

  #lose(why: string): void {
    if (!this.#finished)
      this.#options.onFailure(makeLoadFailure('connection-lost', `The ${this.#kind.name} ended: ${why}`));
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

/** Returns the traffic of the built-in publisher and subscriber while other programs own the connections. */
function makeProcessLoad({ command: asked, clock, ...options }: ProcessLoadOptions): ProcessLoad {
  // The clients handle acknowledgements.
  const command = asked.role === 'publisher' ? { ...asked, spec: { ...asked.spec, qos: 0 as const } } : asked;
  // At the maximum rate, two writes are in progress.
  const mostPerWrite = Math.ceil(asked.spec.window / 2);
  const bounds = confirmsMessages(asked) ? { mostPerWrite } : {};
  const inner = { command, clock, payloadCipher: null, ...bounds };
  const template = makePublishTemplate(command.spec, command.runTag);
  if (command.role === 'subscriber') return { load: new SubscriberLoad(inner), template, reconnects: null };
  if (!reconnects(command.spec)) return { load: new PublisherLoad(inner), template, reconnects: null };
  const lanes = new ProcessReconnects({ ...options, template });
  const { makeConnection } = lanes;
  return { load: new ReconnectLoad({ ...inner, makeConnection }), template, reconnects: lanes };
}

const shellKillMs = 500;
const markTimeoutMs = 3_000;
/** Printed after each report. */
const markEnd = 'mark\n';

interface ConnectionBytesOptions {
  broker: { address: string; port: number };
  records: ChildRecords;
}

/**
 * Counts the TCP payload on other programs' connections, as the kernel reports it through ss(8). A shell
 * started before the load runs ss for each line it reads, because starting a program from this process takes
 * 10 ms.
 */
class ConnectionBytes {
  readonly #closed: ClosedConnections;
  readonly #options: ConnectionBytesOptions;
  #inspector: ManagedChild | null = null;
  /** Reports by mark number, starting at 1. */
  readonly #marks = new Requests<number, string>();
  #markCount = 0;
  readonly #reports: string[] = [];
  /** Output of the report that is not complete yet. */
  #printed = '';
  #ended = false;

  constructor(options: ConnectionBytesOptions) {
    this.#options = options;
    this.#closed = new ClosedConnections(options.broker, options.records);
  }

  /** Call this before any client connects. Never rejects. */
  async start(): Promise<void> {
    const { broker, records } = this.#options;
    const host = isIPv6(broker.address) ? `[${broker.address}]` : broker.address;
    const script = `while read -r _; do ss -tinHO dst = '${host}:${broker.port}'; echo mark; done`;
    const [command = 'sh', ...before] = [...(await findDeathSignalCommand()), 'sh'];
    const inspector = new ManagedChild({
      command,
      args: [...before, '-c', script],
      environment: { LC_ALL: 'C', PATH: `/usr/sbin:/sbin:${process.env.PATH ?? '/usr/bin:/bin'}` },
      inputDescriptor: 0,
      stdout: 'stream',
      killAfterMs: shellKillMs,
      records,
    });
    inspector.start();
    inspector.output.on('data', (chunk: Buffer) => this.#read(chunk));
    const end = (): void => {
      this.#ended = true;
      this.#marks.rejectAll(new Error('the shell has ended'));
    };
    inspector.exit.then(end, end);
    this.#inspector = inspector;
    await this.#closed.start();
  }

  /**
   * Records the kernel's counters when a phase begins or the last phase ends. Resolves when the shell has
   * reported the counters for this mark and all earlier marks, or after a timeout. Never rejects.
   */
  async mark(): Promise<void> {
    if (this.#ended) return;
    this.#markCount += 1;
    const send = () => void this.#inspector?.input.write('\n');
    const timeout = { ms: markTimeoutMs, late: () => new Error('the shell does not answer') };
    // Without this report, the bytes in the phase are unknown.
    await this.#marks.ask(this.#markCount, { send, timeout }).catch(() => {});
  }

  /**
   * Fills in the bytes of the phases after the connections are closed; each phase began with a mark.
   * `measuredPorts` are the ports of connections made for one message. Never rejects.
   */
  async finish(
    phases: readonly PhaseRecord[],
    { ports, measuredPorts }: { ports: readonly number[]; measuredPorts: readonly number[] },
  ): Promise<{ phases: PhaseRecord[]; facts: RoleResult['environment']; measured: WireBytes | null }> {
    await this.#inspector?.stop();
    const reports = this.#reports.map((text) => sumBytes(text, ports));
    const closed = await this.#closed.stop();
    const all = sumBytes(closed, ports);
    return {
      measured: sumBytes(closed, measuredPorts),
      phases: phases.map((phase, index) => ({ ...phase, ...between(reports[index], reports[index + 1]) })),
      facts:
        all === null ? {} : { 'connections.bytesSent': all.sent, 'connections.bytesReceived': all.received },
    };
  }

  #read(chunk: Buffer): void {
    const texts = `${this.#printed}${chunk.toString('latin1')}`.split(markEnd);
    this.#printed = texts.pop() ?? '';
    for (const text of texts) this.#marks.resolve(this.#reports.push(text), text);
  }
}

function between(
  before: WireBytes | null | undefined,
  after: WireBytes | null | undefined,
): Pick<PhaseRecord, 'bytesSent' | 'bytesReceived'> {
  if (!before || !after) return { bytesSent: null, bytesReceived: null };
  return { bytesSent: after.sent - before.sent, bytesReceived: after.received - before.received };
}

/** Sums lines of `ss -tinHO`; returns null if a connection is missing. A received FIN counts as one byte. */
function sumBytes(text: string, ports: readonly number[]): WireBytes | null {
  const found = new Map<number, WireBytes>();
  for (const line of text.split('\n')) {
    const local = line.trim().split(/\s+/)[3] ?? '';
    const numberOf = (name: string) => Number(new RegExp(`\\s${name}:(\\d+)`).exec(line)?.[1] ?? 0);
    // Retransmitted bytes are counted twice.
    const sent = numberOf('bytes_sent') - numberOf('bytes_retrans');
    const port = Number(local.slice(local.lastIndexOf(':') + 1));
    if (sent > 0) found.set(port, { sent, received: numberOf('bytes_received') });
  }
  const wanted = ports.flatMap((port) => found.get(port) ?? []);
  if (ports.length === 0 || wanted.length < ports.length) return null;
  return {
    sent: wanted.reduce((sum, { sent }) => sum + sent, 0),
    received: wanted.reduce((sum, { received }) => sum + received, 0),
  };
}
