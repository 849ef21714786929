import { setTimeout } from 'node:timers/promises';
import { endsEarly } from '@mqttlab/shared/catalogue/workloads';
import { cloudLegOf, isBridged } from '@mqttlab/shared/domain/devices/device';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ClockOffset } from '@mqttlab/shared/domain/runs/role-result';
import {
  type AgentCommand,
  type BrokerReady,
  type Connected,
  connectedSchema,
  type Drained,
  drainedSchema,
} from '@mqttlab/shared/messages/agent';
import type { AgentHub } from '../devices/agent-hub.ts';
import type { RunListener } from '../devices/agent-link.ts';
import { type DeviceClocks, monotonicUs, RunClocks } from '../devices/device-clocks.ts';
import type { Certificates } from '../provisioning/certificates.ts';
import type { Stores } from '../store/stores.ts';
import { makeClientCommands, shapeLinks, startLeg } from './legs.ts';
import { expectedAt, type RunDevice, RunDevices, type RunParticipant } from './run-devices.ts';

/** Clocks that runs use; tests inject other clocks. */
export interface RunTime {
  /** Unix ms. */
  nowMs: () => number;
  /** Boot id of the server's own kernel. */
  bootId: string;
  loadClock: LoadClock;
}

export interface SessionServices {
  agents: Pick<AgentHub, 'findAgent' | 'listenToRun'>;
  certificates: Certificates;
  stores: Pick<Stores, 'brokers' | 'externalDevices' | 'testbeds'>;
  time: RunTime;
}

/** The clock by which a load starts and ends; tests inject a clock that does not wait. */
export interface LoadClock {
  /** Returns the testbed clock in µs. */
  nowUs(): number;
  /** Like the function in node:timers/promises, but by this clock. */
  setTimeout(delayMs: number, value: undefined, options: { signal: AbortSignal }): Promise<void>;
}

export const systemLoadClock: LoadClock = { nowUs: monotonicUs, setTimeout };

interface SessionRequest {
  runId: number;
  /** Number of the attempt at a trial, from 1. */
  attempt: number;
  testbedId: string;
  spec: TrialSpec;
  participants: readonly RunParticipant[];
  /** Ends the session immediately; its reason is thrown. */
  signal: AbortSignal;
  listener: Omit<RunListener, 'onFailure' | 'participants'>;
  onClocks?: (clocks: DeviceClocks) => void;
}

/** A client's device with the negotiated parameters of its connection. */
interface ConnectedDevice extends Connected {
  device: RunDevice;
}

/** Timeouts for responses, in ms; the duration of the load is added. */
const timeouts = { prepare: 20_000, connect: 60_000, start: 5_000, drain: 10_000, teardown: 20_000 } as const;
/** Added per participating device, because many of them may share a machine. */
const timeoutPerDeviceMs = 500;
/**
 * Minimum time before the first instant, in ms and in round trips to the slowest device; long enough for a
 * busy machine.
 */
const leadMs = 60;
const leadRoundTrips = 6;
/** The same for a device that receives commands over MQTT and radio. */
const deviceLeadMs = 1000;
/**
 * Minimum time before the measure phase, in ms, within which every device has responded, even with a short
 * warm-up.
 */
const answersWithinMs = 400;
/**
 * Added for a retry, in case the first attempt failed because a device was busy or its agent had just
 * started.
 */
const retryLeadMs = 2000;

/** One run (or one probe) on the devices of a testbed, step by step. The first failure ends every step. */
export class TrialSession {
  readonly #services: SessionServices;
  readonly #request: SessionRequest;
  readonly #devices: RunDevices;
  readonly #clocks: RunClocks;
  readonly #closed = new AbortController();
  /** Requested at the start, in case the load ends early. */
  #sent: Promise<Drained[]> | null = null;

  /** Throws Failure 'agent-offline'. */
  constructor(services: SessionServices, request: SessionRequest) {
    this.#services = services;
    this.#request = request;
    this.#devices = new RunDevices({ ...request, agents: services.agents });
    const links = this.#devices.all.map(({ link }) => link);
    const { bootId } = services.time;
    this.#clocks = new RunClocks({ links, bootId, onCompared: request.onClocks });
  }

  /** Starts the brokers, then all clients in parallel. */
  async prepare(): Promise<BrokerReady> {
    const { spec, testbedId } = this.#request;
    const devices = this.#devices;
    const offsets = await devices.unlessBroken(this.#clocks.compareBefore());
    const clockOf = (device: RunDevice) => offsetOf(offsets, device);
    // With a bridge, the edge link is impaired.
    const shaped = isBridged(spec) ? devices.of('publisher', 'broker') : devices.all;
    const common = { devices, testbedId, clockOf, timeoutMs: this.#timeoutOf('prepare') };
    const shaping = shapeLinks(spec, shaped);
    const edge = await startLeg(this.#services, { ...common, role: 'broker', spec, shaping });
    const cloud = isBridged(spec)
      ? await startLeg(this.#services, {
          ...common,
          role: 'cloud-broker',
          spec: cloudLegOf(spec),
          shaping: () => ({}),
        })
      : null;
    const prepareClient = makeClientCommands({ devices, edge, cloud, clockOf, shaping });
    await devices.command(this.#clients, prepareClient, this.#timeoutOf('prepare'));
    return edge.brokers[0];
  }

  /** Opens every connection, subscribers first, so that no message arrives too early. */
  async connect(): Promise<ConnectedDevice[]> {
    const question = { schema: connectedSchema, timeoutMs: this.#timeoutOf('connect') + this.#waitMs };
    const connected: ConnectedDevice[] = [];
    for (const role of ['subscriber', 'bridge', 'publisher'] as const) {
      const devices = this.#devices.of(role);
      const answers = await this.#devices.askAll(devices, { kind: 'connect' }, question);
      connected.push(...devices.flatMap((device, i) => (answers[i] ? [{ device, ...answers[i] }] : [])));
    }
    return connected;
  }

  /**
   * Runs the warm-up and measure phases; resolves when sending ends. `onMeasureAt` receives the instant in
   * Unix ms. Rejects with Failure 'start-late' if a device was not ready when the measure phase began.
   */
  async load(onMeasureAt: (unixMs: number) => void): Promise<void> {
    const { attempt, spec } = this.#request;
    const { warmUpMs, measureMs } = spec;
    const clock = this.#services.time.loadClock;
    const roundTripUs = await this.#devices.slowestRoundTripUs();
    const leastMs = this.#waitMs > 0 ? deviceLeadMs : leadMs;
    const retryMs = attempt > 1 ? retryLeadMs : 0;
    const leadUs = (Math.max(leastMs, answersWithinMs - warmUpMs) + retryMs) * 1000;
    const warmUpAtUs = Math.ceil(clock.nowUs() + leadUs + leadRoundTrips * roundTripUs);
    const measureAtUs = warmUpAtUs + warmUpMs * 1000;
    const stopAtUs = measureAtUs + measureMs * 1000;
    const start: AgentCommand = { kind: 'start', warmUpAtUs, measureAtUs, stopAtUs };
    const started = this.#devices.command(this.#devices.all, start, this.#timeoutOf('start'));
    started.catch(() => {});
    // Called after the commands have been sent, because a slow disk may delay this process.
    onMeasureAt(Math.round(Date.now() + (measureAtUs - clock.nowUs()) / 1000));
    await started;
    const leftMs = Math.max(0, Math.ceil((stopAtUs - clock.nowUs()) / 1000));
    const timeUp = clock.setTimeout(leftMs, undefined, { signal: this.#closed.signal });
    if (endsEarly(spec)) this.#sent = this.#drainPublishers(warmUpMs + measureMs);
    await this.#devices.unlessBroken(Promise.race([timeUp, this.#sent ?? timeUp]));
  }

  /** Waits for messages in flight: first until publishers have sent them, then until subscribers have received them. */
  async drain(): Promise<void> {
    const { spec } = this.#request;
    const question = { schema: drainedSchema, timeoutMs: spec.drainTimeoutMs + this.#timeoutOf('drain') };
    const drained = await (this.#sent ?? this.#drainPublishers(0));
    const sent = drained.reduce((sum, { messages }) => sum + messages, 0);
    // Drains the bridge before the subscribers that follow it.
    await this.#devices.askAll(this.#devices.of('bridge'), { kind: 'drain', expected: sent }, question);
    const others = this.#devices.all.filter(({ role }) => role !== 'publisher' && role !== 'bridge');
    const expectedBy = (device: RunDevice) =>
      device.role === 'subscriber' ? expectedAt(device, spec, sent) : null;
    await this.#devices.askAll(
      others,
      (device) => ({ kind: 'drain', expected: expectedBy(device) }),
      question,
    );
    await this.#devices.unlessBroken(this.#clocks.compareAfter());
  }

  /** Disconnects clients first, because their disconnect is measured and needs a running broker. */
  async teardown(): Promise<void> {
    for (const devices of [this.#clients, this.#others]) {
      await this.#devices.command(devices, { kind: 'teardown' }, this.#timeoutOf('teardown'));
    }
  }

  /**
   * Ends everything on every device that responds; never rejects. Resolves with false if a device did not
   * respond. Ends clients first, so that none reports the end of its broker as its own failure.
   */
  async abort(reason: string): Promise<boolean> {
    const clientsEnded = await this.#devices.abort(this.#clients, reason);
    const othersEnded = await this.#devices.abort(this.#others, reason);
    return clientsEnded && othersEnded;
  }

  /**
   * Ends a run whose messages have all arrived, so that devices report it as completed. Devices that refuse
   * end it as in `abort`. Never rejects.
   */
  async conclude(reason: string): Promise<boolean> {
    for (const devices of [this.#clients, this.#others]) await this.#devices.tearDown(devices);
    return this.abort(reason);
  }

  /** Stops listening. Idempotent. */
  close(): void {
    this.#devices.close();
    this.#closed.abort();
  }

  /** Returns the connection timeout of a device without an agent, in ms. */
  get #waitMs(): number {
    const { spec, testbedId } = this.#request;
    if (spec.client !== 'external device') return 0;
    return (this.#services.stores.externalDevices.findExternalDevice(testbedId)?.waitSeconds ?? 0) * 1000;
  }

  /** Returns the timeout for a response, in ms. */
  #timeoutOf(step: keyof typeof timeouts): number {
    return timeouts[step] + timeoutPerDeviceMs * this.#devices.all.length;
  }

  get #clients(): readonly RunDevice[] {
    return this.#devices.of('publisher', 'bridge', 'subscriber');
  }

  get #others(): readonly RunDevice[] {
    const clients = new Set(this.#clients);
    return this.#devices.all.filter((device) => !clients.has(device));
  }

  /** Resolves when every publisher is done; up to `loadMs` of the load may remain. */
  #drainPublishers(loadMs: number): Promise<Drained[]> {
    const timeoutMs = loadMs + this.#request.spec.drainTimeoutMs + this.#timeoutOf('drain');
    const drained = this.#devices.askAll(
      this.#devices.of('publisher'),
      { kind: 'drain', expected: null },
      { schema: drainedSchema, timeoutMs },
    );
    drained.catch(() => {});
    return drained;
  }
}

function offsetOf(clocks: ReadonlyMap<string, ClockOffset>, { deviceId, name }: RunDevice): ClockOffset {
  const clock = clocks.get(deviceId);
  if (clock === undefined) throw new Error(`the clock of ${name} was not compared`);
  return clock;
}
