import { setImmediate as turn } from 'node:timers/promises';
import { endsEarly } from '@mqttlab/shared/catalogue/workloads';
import type { BrokerStatus } from '@mqttlab/shared/domain/runs/bridge-counters';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import { Failure } from '@mqttlab/shared/kit/failure';
import { poll } from '@mqttlab/shared/kit/poll';
import type { Connected, Drained, PrepareBridge, StartLoad } from '@mqttlab/shared/messages/agent';
import { PhaseMeter } from '../load/counting/phase-meter.ts';
import { collectGarbage } from '../load/node-engine.ts';
import type { MicrosecondClock } from '../load/pacing/clock.ts';
import { drainPollMs, makeDrainCheck } from '../load/pacing/drain.ts';
import { followTimeline, toLocalInstants } from '../load/pacing/timeline.ts';
import {
  type BridgeTally,
  emptyLoadResult,
  type LoadDriver,
  type LoadResult,
  type LoadSnapshot,
  type PrepareBridgeWorker,
} from '../load/worker-messages.ts';
import type { Connection } from '../mqtt/connection.ts';
import { ConnectionSource, type WireBytes } from '../mqtt/connection-source.ts';
import { PacketParser, packetTypes } from '../mqtt/packet-parser.ts';
import { type ByteWriter, makePublishTemplate } from '../mqtt/packets.ts';
import { loadPayloadCipher } from '../payload/path/payload-path.ts';
import { makePayloadSealing } from '../payload/path/payload-sealing.ts';
import { loadFailure } from '../processes/failures.ts';
import { makeClientTls } from '../tls/client-tls.ts';
import { findMismatch } from '../tls/negotiated.ts';
import { Bridge, type BridgeOptions } from './bridge.ts';
import { LastingConnection } from './lasting-connection.ts';
import { type BridgeLegs, makeBridgeLegs } from './legs.ts';

interface BridgeClientOptions {
  command: PrepareBridgeWorker;
  clock: MicrosecondClock;
  onPhase: (phase: Phase, durationUs: number | null) => void;
  onLog: (level: 'info' | 'warn', text: string) => void;
  /** False only for runs in which a cold start cannot distort a measurement. */
  rehearses: boolean;
  /** Timing from the published study; tests can shorten it. */
  heartbeatMs?: number;
}

const usualHeartbeatMs = 10_000;

interface Parts {
  legs: BridgeLegs;
  bridge: Bridge;
  connections: BridgeConnections;
}

/**
 * The bridge's side of one run, in the worker. It forwards messages between its connections in every phase.
 */
export class BridgeClient implements LoadDriver {
  readonly role = 'bridge';
  readonly processes = null;
  readonly #options: BridgeClientOptions;
  readonly #meter: PhaseMeter;
  readonly #ended = Promise.withResolvers<void>();
  #parts: Parts | null = null;
  #startedAtUs: StartLoad | null = null;
  #finished = false;
  #cancel = (): void => {};
  #endNow = (): void => {};
  #isOver = false;
  #negotiated: Pick<LoadResult, 'negotiated' | 'upstream'> = { negotiated: null, upstream: null };

  constructor(options: BridgeClientOptions) {
    this.#options = options;
    this.#meter = new PhaseMeter({
      nowUs: () => this.#nowUs(),
      wireBytes: () => this.wireBytes(),
      onPhase: options.onPhase,
    });
  }

  /** Rejects with Failure. */
  async prepare(): Promise<void> {
    const { command, clock, onLog, rehearses, heartbeatMs = usualHeartbeatMs } = this.#options;
    const legs = makeBridgeLegs(command);
    const [localCipher, cloudCipher] = await Promise.all([
      loadPayloadCipher(legs.local),
      loadPayloadCipher(legs.cloud),
    ]);
    if (cloudCipher === null)
      throw loadFailure('payload-cipher', 'The connection to the cloud broker has no key.');
    const parts = { legs, clock, localCipher, cloudCipher };
    if (rehearses) {
      await rehearseBridge(parts);
      collectGarbage();
    }
    const bridge = new Bridge({
      ...parts,
      onRefused: () => this.#parts?.connections.cloud.connection?.transport.destroy(),
    });
    const options = { command, legs, bridge, clock, heartbeatMs, onLog };
    this.#parts = { legs, bridge, connections: await BridgeConnections.make(options) };
  }

  /** Connects both legs in lockstep, so that time, CPU and bytes are separate for each phase. */
  async connect(): Promise<Connected> {
    const { legs, bridge, connections } = this.#present();
    const local = connections.local.makeFirst();
    const first = connections.cloud.makeFirst();
    let cloud = first;
    const findCloud = async () => {
      cloud = await this.#openTcp(first);
    };
    await this.#step('tcp', [() => local.openTcp(), findCloud]);
    const encrypted = legs.local.spec.security !== 'plain';
    await this.#step('tls', [...(encrypted ? [() => local.openTls()] : []), () => cloud.openTls()]);
    this.#check(local, legs.local);
    this.#check(cloud, legs.cloud);
    await this.#step('connect', [() => cloud.openMqtt(), () => local.openMqtt()]);
    connections.cloud.adopt(cloud);
    await this.#step('subscribe', [() => connections.subscribe(bridge, local)]);
    connections.local.adopt(local);
    this.#negotiated = { negotiated: cloud.negotiated(), upstream: local.negotiated() };
    return { negotiated: cloud.negotiated() };
  }

  start(at: StartLoad): void {
    const { clock, command } = this.#options;
    const { offsetUs } = command.clock;
    this.#startedAtUs = at;
    const instants = toLocalInstants(at, offsetUs);
    const enter = (phase: Phase): void => {
      if (this.#isOver) return;
      this.#meter.begin(phase, 2);
      if (phase !== 'drain') return;
      this.#isOver = true;
      this.#ended.resolve();
    };
    const following = followTimeline(clock, instants, enter);
    this.#cancel = following.cancel;
    this.#endNow = () => {
      // The timer may be late, but measuring began on time.
      following.catchUp();
      enter('drain');
    };
  }

  /**
   * Waits until `expected` measured messages have arrived and the cloud has all of them, or no more messages
   * arrive.
   */
  async drain(expected: number | null): Promise<Drained> {
    const { bridge } = this.#present();
    if (this.#startedAtUs === null) return { messages: 0, timedOut: false };
    const { spec } = this.#options.command;
    // The publishers have finished: a load with a message count can therefore end early.
    if (endsEarly(spec)) this.#endNow();
    await this.#ended.promise;
    const isOver = makeDrainCheck(spec, {
      expected,
      complete: () => expected !== null && bridge.progress().received >= expected && bridge.idle,
      // The bridge is not quiet while messages are in flight.
      seen: () => (bridge.idle ? bridge.progress().all + bridge.local.pieces : Number.NaN),
    });
    await poll(isOver, { everyMs: drainPollMs, timeoutMs: spec.drainTimeoutMs });
    this.#meter.end({ connections: 2 });
    return { messages: bridge.progress().received, timedOut: !bridge.idle };
  }

  progress(): (LoadSnapshot & { atMs: number }) | null {
    if (this.#startedAtUs === null || this.#finished) return null;
    const { received, all } = this.#present().bridge.progress();
    const atMs = (this.#nowUs() - this.#startedAtUs.measureAtUs) / 1000;
    return { messages: received, all, late: 0, latencyMs: null, atMs };
  }

  /** Counts so far, which remain if this process dies; null before `prepare`. */
  tally(): BridgeTally | null {
    if (this.#parts === null) return null;
    const { bridge, connections } = this.#parts;
    return {
      bridge: { ...bridge.totals(), ...connections.counters(), restarts: 0 },
      counters: makeCounters(bridge.counters()),
    };
  }

  wireBytes(): WireBytes {
    return this.#parts?.connections.wireBytes() ?? { sent: 0, received: 0 };
  }

  /** Never rejects. */
  async finish(): Promise<LoadResult> {
    this.#finished = true;
    this.#cancel();
    this.#ended.resolve();
    const connections = this.#parts?.connections;
    const at = this.#startedAtUs;
    const status = at && connections?.brokerStatus(at.measureAtUs - this.#options.command.clock.offsetUs);
    const tally = this.tally();
    const open = [connections?.local, connections?.cloud].filter((leg) => leg?.connection).length;
    this.#meter.end({ connections: 2 });
    if (open > 0) this.#meter.begin('disconnect', open);
    await connections?.close();
    this.#meter.end({ connections: open });
    return {
      ...emptyLoadResult,
      phases: [...this.#meter.records],
      ...this.#negotiated,
      localPorts: connections?.localPorts() ?? [],
      counters: this.#startedAtUs === null ? null : (tally?.counters ?? null),
      bridge: tally?.bridge ?? null,
      ...(status ? { brokerStatus: status } : {}),
      ...this.#parts?.bridge.figures(),
    };
  }

  #nowUs(): number {
    return this.#options.clock.nowUs() + this.#options.command.clock.offsetUs;
  }

  /** Connects to the next cloud broker in the list if the first is unreachable. */
  async #openTcp(first: Connection): Promise<Connection> {
    const { cloud } = this.#present().connections;
    for (let connection = first; ; ) {
      try {
        await connection.openTcp();
        return connection;
      } catch (error) {
        const next = cloud.makeNext();
        if (next === null) throw error;
        connection = next;
      }
    }
  }

  /** Runs the calls one after the other. */
  async #step(phase: Phase, steps: readonly (() => Promise<void>)[]): Promise<void> {
    const { clock } = this.#options;
    this.#meter.begin(phase, steps.length);
    const beganUs = clock.nowUs();
    for (const step of steps) await step();
    const durationUs = (clock.nowUs() - beganUs) / steps.length;
    this.#meter.end({ connections: steps.length, durationUs });
  }

  #check(connection: Connection, { spec }: BridgeLegs['local']): void {
    const failure = findMismatch(spec, connection.negotiatedTls);
    if (failure !== null) throw new Failure(failure);
  }

  #present(): Parts {
    if (this.#parts !== null) return this.#parts;
    throw loadFailure('load-worker', 'The bridge is not prepared.');
  }
}

interface BridgeConnectionsOptions {
  command: PrepareBridge & { localAddress?: string };
  legs: BridgeLegs;
  bridge: Bridge;
  clock: MicrosecondClock;
  heartbeatMs: number;
  onLog: (level: 'info' | 'warn', text: string) => void;
}

/** Longer than any pause in the bridge; messages wait on the local broker meanwhile. */
const sessionExpiryS = 86_400;
/** Larger than the fixed header, topic and properties that a broker may add. */
const headerBytes = 4_096;

/** The two connections of a bridge, each of which is kept open even if its broker fails. */
class BridgeConnections {
  readonly local: LastingConnection;
  readonly cloud: LastingConnection;
  readonly #sources: readonly ConnectionSource[];

  private constructor(
    { command, legs, bridge, clock, heartbeatMs, onLog }: BridgeConnectionsOptions,
    sources: { local: ConnectionSource; cloud: ConnectionSource },
  ) {
    this.#sources = [sources.local, sources.cloud];
    const tag = command.runTag.toString(16).padStart(8, '0');
    const retainedBytes = makePublishTemplate(legs.local.spec, 0).packet.length + headerBytes;
    const brokersOf = { local: [command.local.broker], cloud: command.cloud.brokers } as const;
    const makeLeg = (leg: 'local' | 'cloud', more: LegBehaviour) =>
      new LastingConnection({
        brokers: brokersOf[leg].length,
        heartbeatMs,
        clock,
        make: (broker, listener) => {
          const { localAddress } = command;
          const endpoint = brokersOf[leg][broker] ?? command.local.broker;
          const connection = sources[leg].make({
            listener,
            session: { clientId: `lab-${tag}-${leg}`, ...(leg === 'local' && { sessionExpiryS }) },
            broker: { ...endpoint, ...(localAddress === undefined ? {} : { localAddress }) },
            retainedBytes,
          });
          more.made(connection);
          return connection;
        },
        open: async (connection) => {
          await connection.open();
          if (leg === 'local') await this.subscribe(bridge, connection);
        },
        isPaused: more.isPaused,
        onUp: (connection) => {
          onLog('info', `connected to the ${leg} broker at ${nameOf(connection)}`);
          more.up(connection);
        },
        onDown: (connection, reason) => {
          onLog('warn', `the ${leg} broker is unreachable: ${reason}`);
          sources[leg].forget(connection);
          more.down();
        },
      });
    this.local = makeLeg('local', {
      made: (connection) => bridge.local.use(connection),
      up: () => {},
      down: () => bridge.local.down(),
      isPaused: () => bridge.local.paused,
    });
    this.cloud = makeLeg('cloud', {
      made: (connection) => connection.setTraffic(bridge.cloud),
      up: (connection) => bridge.cloudUp(connection),
      down: () => bridge.cloudDown(),
      isPaused: () => false,
    });
  }

  /** Rejects with Failure. */
  static async make(options: BridgeConnectionsOptions): Promise<BridgeConnections> {
    const { legs, clock } = options;
    const [local, cloud] = await Promise.all(
      [legs.local, legs.cloud].map(
        async (command) => new ConnectionSource({ command, clock, tls: await makeClientTls(command) }),
      ),
    );
    if (local === undefined || cloud === undefined) throw new RangeError('a bridge has two legs');
    return new BridgeConnections(options, { local, cloud });
  }

  /** Called after the CONNACK from the local broker. */
  async subscribe(bridge: Bridge, connection: Connection): Promise<void> {
    bridge.local.greet(connection.grant?.sessionPresent ?? false);
    await connection.subscribe();
  }

  wireBytes(): WireBytes {
    const bytes = this.#sources.map((source) => source.wireBytes());
    return {
      sent: bytes.reduce((sum, { sent }) => sum + sent, 0),
      received: bytes.reduce((sum, { received }) => sum + received, 0),
    };
  }

  localPorts(): number[] {
    return this.#sources.flatMap((source) => source.localPorts());
  }

  counters() {
    const { local, cloud } = this;
    return {
      localReconnects: local.history.reconnects,
      cloudReconnects: cloud.history.reconnects,
      failovers: cloud.history.failovers,
      missedHeartbeats: [...local.heartbeats, ...cloud.heartbeats].reduce((sum, one) => sum + one.missed, 0),
    };
  }

  /** Returns statistics of both legs. `zeroUs` is the start of measuring on this process's clock. */
  brokerStatus(zeroUs: number): BrokerStatus[] {
    return (['local', 'cloud'] as const).flatMap((leg) =>
      this[leg].heartbeats.map((one, i) => ({ leg, place: i + 1, ...one.status(zeroUs) })),
    );
  }

  stop(): void {
    this.local.stop();
    this.cloud.stop();
  }

  /** Waits for the brokers with a time limit; never rejects. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#sources.map((source) => source.closeAll()));
  }
}

interface LegBehaviour {
  made: (connection: Connection) => void;
  up: (connection: Connection) => void;
  down: () => void;
  isPaused: () => boolean;
}

function nameOf(connection: Connection): string {
  const { remoteAddress, remotePort } = connection.negotiated();
  return `${remoteAddress}:${remotePort}`;
}

/**
 * Enough messages for V8 to compile the message path, but few enough not to take several seconds on a slow
 * device.
 */
const messages = 4_000;
const maxMs = 800;
const perTurn = 20;
const readingBytes = 64;

/**
 * Passes several thousand messages through an unconnected bridge of the same kind before the first measured
 * message. Without this rehearsal, a short trial would mostly measure the compiler.
 */
async function rehearseBridge(options: Omit<BridgeOptions, 'onRefused'>): Promise<void> {
  const { legs, clock, localCipher } = options;
  const shrink = <T extends BridgeOptions['legs']['local']>(leg: T): T => ({
    ...leg,
    spec: { ...leg.spec, readingBytes, readingsPerMessage: 1, alterEvery: 0 },
  });
  const traffic = { local: shrink(legs.local), cloud: shrink(legs.cloud) };
  const bridge = new Bridge({ ...options, legs: traffic, onRefused: () => {} });
  bridge.cloudUp({ writer: answering(bridge, traffic.cloud), grant: null, setTraffic: () => {} });
  const { spec, runTag } = traffic.local;
  const template = makePublishTemplate(spec, runTag);
  const sealing = makePayloadSealing({ command: traffic.local, clock, payloadCipher: localCipher, template });
  const seal = sealing?.makeSeal() ?? null;
  const parser = new PacketParser(
    {
      onPublish: (publish) => bridge.local.onPublish(publish, clock.nowUs()),
      onAcknowledgement: () => {},
      onControl: () => {},
    },
    { mqtt5: spec.mqttVersion === '5.0' },
  );
  const packet = Buffer.from(template.packet);
  const deadlineMs = performance.now() + maxMs;
  for (let i = 0; i < messages && performance.now() < deadlineMs; i += 1) {
    if (spec.qos > 0) packet.writeUInt16BE(i + 1, template.packetIdAt);
    seal?.write(packet, template.payloadAt, false);
    parser.push(packet, packet.length);
    bridge.local.afterChunk();
    if (i % perTurn === 0) await turn();
  }
}

/** Makes a cloud broker that acknowledges immediately. */
function answering(bridge: Bridge, { spec, runTag }: BridgeOptions['legs']['cloud']): ByteWriter {
  const { packet, packetIdAt } = makePublishTemplate(spec, runTag);
  return {
    write(bytes, done) {
      done();
      if (spec.qos === 0) return;
      for (let at = 0; at < bytes.length; at += packet.length) {
        const id = bytes.readUInt16BE(at + packetIdAt);
        if (spec.qos === 2) bridge.cloud.onAcknowledgement(packetTypes.pubrec, id, 0);
        bridge.cloud.onAcknowledgement(spec.qos === 2 ? packetTypes.pubcomp : packetTypes.puback, id, 0);
      }
    },
  };
}
