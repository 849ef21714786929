import { endsEarly } from '@mqttlab/shared/catalogue/workloads';
import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import { Failure } from '@mqttlab/shared/kit/failure';
import { Latch } from '@mqttlab/shared/kit/waiting';
import type { Connected, Drained, StartLoad } from '@mqttlab/shared/messages/agent';
import { loadFailure } from '../base/load-failures.ts';
import { collectGarbage } from '../load-process/node-engine.ts';
import {
  type BridgeTally,
  emptyLoadResult,
  type LoadDriver,
  type LoadResult,
  type LoadSnapshot,
  type PrepareBridgeWorker,
} from '../load-process/worker-messages.ts';
import type { Connection } from '../mqtt/connection.ts';
import type { WireBytes } from '../mqtt/connection-source.ts';
import type { MicrosecondClock } from '../pacing/clock.ts';
import { untilQuiet } from '../pacing/drain.ts';
import { followTimeline, toLocalInstants } from '../pacing/timeline.ts';
import { loadPayloadCipher } from '../payload/path/payload-path.ts';
import { findMismatch } from '../tls/negotiated.ts';
import { PhaseMeter } from '../workloads/counting/phase-meter.ts';
import { Bridge } from './bridge.ts';
import { BridgeConnections } from './bridge-connections.ts';
import { type BridgeLegs, makeBridgeLegs } from './legs.ts';
import { rehearseBridge } from './rehearse-bridge.ts';

export interface BridgeClientOptions {
  command: PrepareBridgeWorker;
  clock: MicrosecondClock;
  onPhase: (phase: Phase, durationUs: number | null) => void;
  onLog: (level: 'info' | 'warn', text: string) => void;
  /** False only where nothing is measured that a cold start would distort. */
  rehearses: boolean;
  /** As the study has it, unless a test is in more of a hurry. */
  heartbeatMs?: number;
}

const usualHeartbeatMs = 10_000;

interface Parts {
  legs: BridgeLegs;
  bridge: Bridge;
  connections: BridgeConnections;
}

/** The bridge's side of one Run, in the worker. It carries messages from its connections on, whatever the phase. */
export class BridgeClient implements LoadDriver {
  readonly role = 'bridge';
  readonly processes = null;
  readonly #options: BridgeClientOptions;
  readonly #meter: PhaseMeter;
  readonly #ended = new Latch();
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

  /** Both legs in step, so that time, CPU and bytes of each phase stay apart. */
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
      this.#ended.open();
    };
    const following = followTimeline(clock, instants, enter);
    this.#cancel = following.cancel;
    this.#endNow = () => {
      // A timer may be late: measuring began all the same.
      following.catchUp();
      enter('drain');
    };
  }

  /** Until `expected` measured messages came and the cloud has all, or nothing comes any more. */
  async drain(expected: number | null): Promise<Drained> {
    const { bridge } = this.#present();
    if (this.#startedAtUs === null) return { messages: 0, timedOut: false };
    const { spec } = this.#options.command;
    // The publishers are through: a load of so many messages is over before its time.
    if (endsEarly(spec)) this.#endNow();
    await this.#ended.opened;
    await untilQuiet(spec, {
      expected,
      complete: () => expected !== null && bridge.progress().received >= expected && bridge.idle,
      // While something is under way it is not quiet.
      seen: () => (bridge.idle ? bridge.progress().all + bridge.local.pieces : Number.NaN),
    });
    this.#meter.end({ connections: 2 });
    return { messages: bridge.progress().received, timedOut: !bridge.idle };
  }

  progress(): (LoadSnapshot & { atMs: number }) | null {
    if (this.#startedAtUs === null || this.#finished) return null;
    const { received, all } = this.#present().bridge.progress();
    const atMs = (this.#nowUs() - this.#startedAtUs.measureAtUs) / 1000;
    return { messages: received, all, late: 0, latencyMs: null, atMs };
  }

  /** What was counted so far, for when this process dies; null before `prepare`. */
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
    this.#ended.open();
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

  /** Where the first cloud broker is not there, the next one of the list. */
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

  /** One after the other. */
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
