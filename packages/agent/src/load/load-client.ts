import type { Phase } from '@mqttlab/shared/domain/phase';
import type { RoleFailure } from '@mqttlab/shared/domain/role-result';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/protocol/agent';
import { RunFailure, reasonOf } from '../run-failure.ts';
import { makeClientTls } from '../tls/client-tls.ts';
import { findMismatch } from '../tls/negotiated.ts';
import { collectGarbage } from './collect-garbage.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { eachLimited } from './each-limited.ts';
import { loadFailure } from './failures.ts';
import type { MicrosecondClock } from './monotonic.ts';
import { PhaseMeter } from './phase-meter.ts';
import { makePublishTemplate } from './publish-template.ts';
import { PublisherLoad, type RoleLoadOptions } from './publisher-load.ts';
import { rehearse } from './rehearse.ts';
import { rehearseTraffic } from './rehearse-traffic.ts';
import type { LoadSnapshot, RoleLoad } from './role-load.ts';
import { SubscriberLoad } from './subscriber-load.ts';
import type { Instants } from './timeline.ts';
import { within } from './within.ts';
import type { LoadResult } from './worker-protocol.ts';

/** Up to so many connections are set up one after the other; more go in lanes, which then share the processor. */
const oneByOne = 10;
const lanes = 10;
const readBufferBytes = 65_536;
/** For all connections together. */
const closeTimeoutMs = 2_000;

export interface LoadClientOptions {
  command: PrepareClient;
  clock: MicrosecondClock;
  onPhase: (phase: Phase, durationUs: number | null) => void;
  onTrouble: (failure: RoleFailure) => void;
  /** False only where nothing is measured that a cold start would distort. */
  rehearses: boolean;
}

/**
 * One role of one Run: its connections, set up in lockstep (all TCP, then all TLS, ...) so that time, CPU and
 * bytes of each phase stay apart, and its load.
 */
export class LoadClient {
  readonly #options: LoadClientOptions;
  readonly #connections: Connection[] = [];
  readonly #load: RoleLoad;
  readonly #meter: PhaseMeter;
  #startedAtUs: StartLoad | null = null;
  #finished = false;
  readonly #degraded: LoadResult['degraded'] = [];

  constructor(options: LoadClientOptions) {
    const { command, clock } = options;
    this.#options = options;
    this.#load = makeLoad({ command, clock });
    this.#meter = new PhaseMeter({
      nowUs: () => this.nowUs(),
      wireBytes: () => this.wireBytes(),
      onPhase: options.onPhase,
    });
  }

  get role(): PrepareClient['role'] {
    return this.#options.command.role;
  }

  /** Testbed clock, µs. */
  nowUs(): number {
    return this.#options.clock.nowUs() + this.#options.command.clock.offsetUs;
  }

  wireBytes(): { sent: number; received: number } {
    let sent = 0;
    let received = 0;
    for (const { transport } of this.#connections) {
      sent += transport.bytesSent;
      received += transport.bytesReceived;
    }
    return { sent, received };
  }

  /** Everything that costs time once: certificates parsed, buffers made, code compiled. Rejects with RunFailure. */
  async prepare(): Promise<void> {
    const { command, clock } = this.#options;
    const { role, spec, broker, runTag } = command;
    const count = role === 'publisher' ? spec.publishers : spec.subscribers;
    const tls = (await makeClientTls(command))?.take() ?? null;
    const readBuffer = Buffer.alloc(readBufferBytes);
    // At most 23 characters, all that MQTT 3.1 allows.
    const clientId = `lab-${runTag.toString(16)}-${role.charAt(0)}`;
    const options = { spec, broker, tls, clock, readBuffer };
    for (let index = 0; index < count; index += 1) {
      const onLost = (failure: RoleFailure): void => this.#lose(index, failure);
      const connection = new Connection({ ...options, clientId: `${clientId}${index}`, onLost });
      connection.carry(this.#load.attach(connection, index));
      this.#connections.push(connection);
    }
    if (this.#options.rehearses) await this.#rehearse({ ...options, clientId: `${clientId}r` });
  }

  async connect(): Promise<Connected> {
    const { role, spec } = this.#options.command;
    await this.#setUp('tcp', (connection) => connection.openTcp());
    if (spec.security !== 'plain') {
      await this.#setUp('tls', (connection) => connection.openTls());
      this.#checkNegotiated();
    }
    await this.#setUp('connect', (connection) => connection.openMqtt());
    this.#checkPacketBytes();
    if (role === 'subscriber') await this.#setUp('subscribe', (connection) => connection.subscribe());
    const first = this.#connections[0];
    if (first === undefined) throw loadFailure('load-worker', 'There are no connections to open.');
    return { negotiated: first.negotiated() };
  }

  start(at: StartLoad): void {
    const { offsetUs } = this.#options.command.clock;
    this.#startedAtUs = at;
    const instants: Instants = {
      warmUpAtUs: at.warmUpAtUs - offsetUs,
      measureAtUs: at.measureAtUs - offsetUs,
      stopAtUs: at.stopAtUs - offsetUs,
    };
    this.#load.start(instants, (phase) => this.#meter.begin(phase, this.#connections.length));
  }

  async drain(expected: number | null): Promise<Drained> {
    if (this.#startedAtUs === null) return { messages: 0, timedOut: false };
    const drained = await this.#load.drain(expected);
    this.#meter.end({ connections: this.#connections.length });
    return drained;
  }

  /** Since the start of the measure phase; null before start. */
  progress(): (LoadSnapshot & { atMs: number }) | null {
    if (this.#startedAtUs === null || this.#finished) return null;
    return { ...this.#load.snapshot(), atMs: (this.nowUs() - this.#startedAtUs.measureAtUs) / 1000 };
  }

  /** Stops, disconnects, and says what there is. Never rejects. */
  async finish(): Promise<LoadResult> {
    this.#finished = true;
    this.#load.stop();
    const open = this.#connections.filter((connection) => connection.grant !== null);
    this.#meter.end({ connections: this.#connections.length });
    if (open.length > 0) this.#meter.begin('disconnect', open.length);
    const closed = eachLimited(this.#connections, lanes, (connection) => connection.close());
    const tooLong = () => loadFailure('timeout', 'The broker does not close its connections.');
    await within(closeTimeoutMs, tooLong, closed).catch(() => {});
    for (const { transport } of this.#connections) transport.destroy();
    this.#meter.end({ connections: open.length });
    const figures = this.#load.figures();
    return {
      phases: [...this.#meter.records],
      negotiated: open[0]?.negotiated() ?? null,
      localPorts: this.#connections.map(({ transport }) => transport.localPort).filter((port) => port > 0),
      states: [],
      randomness: [],
      facts: {},
      ...figures,
      counters: this.#startedAtUs === null ? null : figures.counters,
      degraded: [...this.#degraded, ...figures.degraded],
    };
  }

  #lose(index: number, failure: RoleFailure): void {
    this.#load.lose(index);
    this.#options.onTrouble(failure);
  }

  async #rehearse(options: Omit<ConnectionOptions, 'onLost'>): Promise<void> {
    const { command, clock } = this.#options;
    const makePractice = (practice: PrepareClient) => makeLoad({ command: practice, clock });
    try {
      await rehearseTraffic({ command, connection: options, makeLoad: makePractice });
    } catch (error) {
      this.#degraded.push({ collector: 'rehearsal', reason: reasonOf(error) });
    }
    await rehearse(options, command.role === 'subscriber');
    collectGarbage();
  }

  async #setUp(phase: Phase, step: (connection: Connection) => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    const connections = this.#connections;
    this.#meter.begin(phase, connections.length);
    let totalUs = 0;
    await eachLimited(connections, connections.length > oneByOne ? lanes : 1, async (connection) => {
      const beginUs = clock.nowUs();
      await step(connection);
      totalUs += clock.nowUs() - beginUs;
    });
    this.#meter.end({ connections: connections.length, durationUs: totalUs / connections.length });
  }

  #checkNegotiated(): void {
    for (const connection of this.#connections) {
      const failure = findMismatch(this.#options.command.spec, connection.negotiatedTls);
      if (failure !== null) throw new RunFailure(failure);
    }
  }

  #checkPacketBytes(): void {
    const { spec, runTag } = this.#options.command;
    const limit = this.#connections[0]?.grant?.maximumPacketBytes ?? null;
    const { length } = makePublishTemplate(spec, runTag).packet;
    if (limit !== null && length > limit) {
      throw loadFailure('packet-too-large', `A message is ${length} bytes, the broker takes ${limit}.`);
    }
  }
}

function makeLoad(options: RoleLoadOptions): RoleLoad {
  return options.command.role === 'publisher' ? new PublisherLoad(options) : new SubscriberLoad(options);
}
