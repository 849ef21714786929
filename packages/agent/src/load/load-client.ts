import { carriesMessages, reconnects } from '@mqttlab/shared/catalogue/workloads';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { type Phase, setUpPhases } from '@mqttlab/shared/domain/runs/statuses';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import type { Connection } from '../mqtt/connection.ts';
import { ConnectionSource, eachLimited, type WireBytes } from '../mqtt/connection-source.ts';
import { makePublishTemplate } from '../mqtt/packets.ts';
import { type LoadedPayloadCipher, loadPayloadCipher } from '../payload/path/payload-path.ts';
import { loadFailure } from '../processes/failures.ts';
import { makeClientTls } from '../tls/client-tls.ts';
import { findMismatch } from '../tls/negotiated.ts';
import { AbuserLoad, ProbeLoad } from './availability-load.ts';
import { HandshakeLoad, makeIdleLoad } from './connecting-load.ts';
import { makeDurations, toHistogramsJson } from './counting/histograms.ts';
import { PhaseMeter } from './counting/phase-meter.ts';
import { collectGarbage } from './node-engine.ts';
import type { MicrosecondClock } from './pacing/clock.ts';
import { toLocalInstants } from './pacing/timeline.ts';
import { PublisherLoad } from './publisher-load.ts';
import { ReconnectLoad } from './reconnect-load.ts';
import { openBesideTraffic, rehearse, rehearseTraffic, type WarmUpTraffic } from './rehearsal.ts';
import { type ConnectingLoadOptions, makeOwnConnections, type RoleLoad } from './role-load.ts';
import { StatesLoad } from './states-load.ts';
import { SubscriberLoad } from './subscriber-load.ts';
import {
  emptyLoadResult,
  type LoadDriver,
  type LoadResult,
  type LoadSnapshot,
  type PrepareWorker,
} from './worker-messages.ts';

/**
 * Maximum number of connections that are set up one after the other; a larger number is set up in lanes,
 * phase by phase.
 */
const oneByOne = 10;
const lanes = 10;
/** Longer than opening a connection takes, but too short for users to notice. */
const reportAfterMs = 50;

/** One phase in which a connection is opened. */
interface OpeningStep {
  phase: 'tcp' | 'tls' | 'connect' | 'subscribe';
  open: (connection: Connection) => Promise<void>;
}

interface LoadClientOptions {
  command: PrepareWorker;
  clock: MicrosecondClock;
  onPhase: (phase: Phase, durationUs: number | null) => void;
  onFailure: (failure: RoleFailure) => void;
  /** False only for runs in which a cold start cannot distort a measurement. */
  rehearses: boolean;
}

/**
 * One role in one run: its connections and its load. Connections are set up so that time, CPU and bytes are
 * separate for each phase: either one after the other, or many in lockstep (all TCP, then all TLS, ...).
 */
export class LoadClient implements LoadDriver {
  /** This process itself. */
  readonly processes = null;
  readonly #options: LoadClientOptions;
  /** Number of connections that stay open during the run; some workloads open more. */
  readonly #connections: Connection[] = [];
  #source: ConnectionSource | null = null;
  #load: RoleLoad | null = null;
  #warmUp: WarmUpTraffic | null = null;
  readonly #meter: PhaseMeter;
  #startedAtUs: StartLoad | null = null;
  #finished = false;
  readonly #degraded: LoadResult['degraded'] = [];
  readonly #unreported: [Phase, number | null][] = [];
  #reportTimer: NodeJS.Timeout | null = null;
  readonly #setUps = makeDurations();

  constructor(options: LoadClientOptions) {
    this.#options = options;
    this.#meter = new PhaseMeter({
      nowUs: () => this.nowUs(),
      wireBytes: () => this.wireBytes(),
      onPhase: (phase, durationUs) => this.#report(phase, durationUs),
    });
  }

  get role(): PrepareClient['role'] {
    return this.#options.command.role;
  }

  /** Returns the time on the testbed clock in µs. */
  nowUs(): number {
    return this.#options.clock.nowUs() + this.#options.command.clock.offsetUs;
  }

  wireBytes(): WireBytes {
    return this.#source?.wireBytes() ?? { sent: 0, received: 0 };
  }

  /**
   * Performs all one-time work, such as parsing certificates, allocating buffers and compiling code. Rejects
   * with Failure.
   */
  async prepare(): Promise<void> {
    const { command, clock, onFailure } = this.#options;
    const source = new ConnectionSource({ command, clock, tls: await makeClientTls(command) });
    const payloadCipher = await loadPayloadCipher(command);
    const load = makeLoad({ command, clock, payloadCipher, connections: source, onFailure });
    this.#source = source;
    this.#load = load;
    if (this.#options.rehearses) await this.#rehearse(source, payloadCipher);
    for (let index = 0; index < keptConnections(command.role, command.spec); index += 1) {
      const onLost = (failure: RoleFailure): void => this.#lose(index, failure);
      const connection = source.make({ listener: { onLost } });
      connection.setTraffic(load.attach(connection, index));
      this.#connections.push(connection);
    }
  }

  async connect(): Promise<Connected> {
    const { role, spec } = this.#options.command;
    const all: OpeningStep[] = [
      { phase: 'tcp', open: (connection) => connection.openTcp() },
      { phase: 'tls', open: (connection) => connection.openTls() },
      { phase: 'connect', open: (connection) => connection.openMqtt() },
    ];
    const steps = all.filter(({ phase }) => phase !== 'tls' || spec.security !== 'plain');
    if (this.#connections.length > oneByOne) await this.#openInLockstep(steps);
    else for (const connection of this.#connections) await this.#openByItself(connection, steps);
    this.#checkNegotiated();
    this.#checkPacketBytes();
    if (role === 'subscriber') {
      await this.#setUp({ phase: 'subscribe', open: (connection) => connection.subscribe() }, () => {});
    }
    const first = this.#connections[0];
    if (first === undefined) throw loadFailure('load-worker', 'There are no connections to open.');
    return { negotiated: first.negotiated() };
  }

  start(at: StartLoad): void {
    const { offsetUs } = this.#options.command.clock;
    this.#startedAtUs = at;
    const instants = toLocalInstants(at, offsetUs);
    void this.#warmUp?.playUntilMeasured(instants.measureAtUs);
    this.#load?.start(instants, (phase) => this.#meter.begin(phase, this.#connections.length));
  }

  async drain(expected: number | null): Promise<Drained> {
    if (this.#startedAtUs === null || this.#load === null) return { messages: 0, timedOut: false };
    const drained = await this.#load.drain(expected);
    this.#meter.end({ connections: this.#connections.length });
    return drained;
  }

  /** Returns the progress with the time in ms since the start of the measure phase; null before start. */
  progress(): (LoadSnapshot & { atMs: number }) | null {
    if (this.#startedAtUs === null || this.#finished || this.#load === null) return null;
    return { ...this.#load.snapshot(), atMs: (this.nowUs() - this.#startedAtUs.measureAtUs) / 1000 };
  }

  cutBucket(): LoadSnapshot['latencyMs'] {
    return this.#load?.cutBucket?.() ?? null;
  }

  /** Stops, disconnects and returns the result. Never rejects. */
  async finish(): Promise<LoadResult> {
    this.#finished = true;
    this.#load?.stop();
    const open = this.#connections.filter((connection) => connection.grant !== null);
    await this.#warmUp?.close();
    this.#meter.end({ connections: this.#connections.length });
    if (open.length > 0) this.#meter.begin('disconnect', open.length);
    await this.#source?.closeAll();
    this.#meter.end({ connections: open.length });
    this.#reportAll();
    const figures = this.#load?.figures() ?? { counters: makeCounters() };
    return {
      ...emptyLoadResult,
      phases: [...this.#meter.records],
      negotiated: open[0]?.negotiated() ?? null,
      localPorts: this.#source?.localPorts() ?? [],
      ...figures,
      histograms: { ...figures.histograms, ...toHistogramsJson({ 'kept.set-up': this.#setUps }) },
      facts: { ...figures.facts, ...(this.#options.rehearses ? {} : coldStart) },
      counters: this.#startedAtUs === null ? null : figures.counters,
      degraded: [...this.#degraded, ...(figures.degraded ?? [])],
    };
  }

  /**
   * Reports a phase when no connection is being opened, because reporting takes time that must not be
   * attributed to a connection.
   */
  #report(phase: Phase, durationUs: number | null): void {
    this.#unreported.push([phase, durationUs]);
    if (setUpPhases.includes(phase)) this.#reportTimer ??= setTimeout(() => this.#reportAll(), reportAfterMs);
    else this.#reportAll();
  }

  #reportAll(): void {
    if (this.#reportTimer !== null) clearTimeout(this.#reportTimer);
    this.#reportTimer = null;
    for (const [phase, durationUs] of this.#unreported.splice(0)) this.#options.onPhase(phase, durationUs);
  }

  #lose(index: number, failure: RoleFailure): void {
    this.#load?.lose(index);
    this.#options.onFailure(failure);
  }

  async #rehearse(source: ConnectionSource, payloadCipher: LoadedPayloadCipher | null): Promise<void> {
    const { command, clock, onFailure } = this.#options;
    const makeWarmUpLoad = (traffic: PrepareClient) =>
      makeLoad({ command: traffic, clock, payloadCipher, connections: source, onFailure });
    try {
      if (carriesMessages(command.spec.workload)) {
        const connection = source.basis();
        const traffic = { command, connection, payloadCipher, makeLoad: makeWarmUpLoad };
        await rehearseTraffic(traffic);
        this.#warmUp = await openBesideTraffic(traffic);
      }
    } catch (error) {
      this.#degraded.push({ collector: 'rehearsal', reason: reasonOf(error) });
    }
    await rehearse(() => source.basis(), command.role === 'subscriber');
    collectGarbage();
  }

  /** Measures from the call that sends SYN to CONNACK, without gaps between the phases. */
  async #openByItself(connection: Connection, steps: readonly OpeningStep[]): Promise<void> {
    let beganUs: number | null = null;
    for (const { phase, open } of steps) {
      const atUs = this.#meter.begin(phase, 1);
      await open(connection);
      beganUs ??= this.#attemptedAt(connection) ?? atUs;
      if (phase === 'tcp') this.#meter.beginAt(beganUs);
    }
    const endedUs = this.#meter.end({ connections: 1 });
    this.#setUps.record(endedUs - (beganUs ?? endedUs));
  }

  /** Returns the time on the testbed clock. */
  #attemptedAt({ attemptedUs }: Connection): number | null {
    return attemptedUs === null ? null : attemptedUs + this.#options.command.clock.offsetUs;
  }

  /**
   * Opens all connections phase by phase. Excludes the time during which a connection waits for others
   * between its phases.
   */
  async #openInLockstep(steps: readonly OpeningStep[]): Promise<void> {
    const spentUs = new Map<Connection, number>();
    const add = (connection: Connection, us: number) =>
      spentUs.set(connection, (spentUs.get(connection) ?? 0) + us);
    for (const step of steps) await this.#setUp(step, add);
    for (const us of spentUs.values()) this.#setUps.record(us);
  }

  async #setUp(
    { phase, open }: OpeningStep,
    took: (connection: Connection, us: number) => void,
  ): Promise<void> {
    const { clock } = this.#options;
    const connections = this.#connections;
    this.#meter.begin(phase, connections.length);
    let totalUs = 0;
    // All devices share the limit, because a broker queues about a hundred connections (listen(2)).
    const own = Math.max(1, Math.floor(lanes / (this.#options.command.share?.of ?? 1)));
    await eachLimited(connections, connections.length > oneByOne ? own : 1, async (connection) => {
      const beginUs = clock.nowUs();
      await open(connection);
      const fromUs = phase === 'tcp' ? (connection.attemptedUs ?? beginUs) : beginUs;
      const us = clock.nowUs() - fromUs;
      totalUs += us;
      took(connection, us);
    });
    this.#meter.end({ connections: connections.length, durationUs: totalUs / connections.length });
  }

  #checkNegotiated(): void {
    if (this.#options.command.spec.security === 'plain') return;
    for (const connection of this.#connections) {
      const failure = findMismatch(this.#options.command.spec, connection.negotiatedTls);
      if (failure !== null) throw new Failure(failure);
    }
  }

  #checkPacketBytes(): void {
    const { spec, runTag } = this.#options.command;
    const limit = this.#connections[0]?.grant?.maximumPacketBytes ?? null;
    const { length } = makePublishTemplate(spec, runTag).packet;
    if (limit !== null && length > limit) {
      throw loadFailure(
        'packet-too-large',
        `A message has ${length} bytes; the broker accepts at most ${limit}.`,
      );
    }
  }
}

/** Values for a process that has just started. */
const coldStart: LoadResult['facts'] = { 'client.start': 'cold: rehearsal is switched off' };

type MakeLoad = (options: ConnectingLoadOptions) => RoleLoad;

const reconnecting: MakeLoad = (options) =>
  new ReconnectLoad({ ...options, makeConnection: makeOwnConnections(options) });

const publishing: Readonly<Record<TrialSpec['workload'], MakeLoad>> = {
  stream: (options) =>
    reconnects(options.command.spec) ? reconnecting(options) : new PublisherLoad(options),
  burst: (options) => new PublisherLoad(options),
  reconnect: reconnecting,
  handshake: (options) => new HandshakeLoad(options),
  states: (options) => new StatesLoad(options),
  availability: (options) => new AbuserLoad(options),
};

const subscribing: Readonly<Record<TrialSpec['workload'], MakeLoad>> = {
  stream: (options) => new SubscriberLoad(options),
  burst: (options) => new SubscriberLoad(options),
  reconnect: (options) => new SubscriberLoad(options),
  handshake: makeIdleLoad,
  states: makeIdleLoad,
  availability: (options) => new ProbeLoad(options),
};

const makeLoad: MakeLoad = (options) => {
  const { role, spec } = options.command;
  return (role === 'publisher' ? publishing : subscribing)[spec.workload](options);
};

/**
 * Returns the number of connections that stay open from connect to the end. Workloads with their own
 * connections keep one open, to show the negotiated parameters.
 */
function keptConnections(role: 'publisher' | 'subscriber', spec: TrialSpec): number {
  if (role === 'subscriber') return spec.subscribers;
  const kept = spec.workload === 'burst' || (spec.workload === 'stream' && !reconnects(spec));
  return kept ? spec.publishers : 1;
}
