import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import {
  carriedBytesOf,
  findPayloadCipherDefinition,
} from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import {
  type DeviceLine,
  type DeviceSchedule,
  deviceProtocolVersion,
  deviceTopics,
  readDeviceLine,
  scheduleFor,
  writeKey,
  writeStart,
} from '@mqttlab/shared/catalogue/external-device/protocol';
import type { ExternalDevice } from '@mqttlab/shared/domain/devices/external-device';
import { payloadBytesOf } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type {
  ClockOffset,
  PhaseRecord,
  RoleFailure,
  RoleResult,
} from '@mqttlab/shared/domain/runs/role-result';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import { Requests } from '@mqttlab/shared/kit/requests';
import { within } from '@mqttlab/shared/kit/waiting';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import { type ClockSample, clockOffsetOf } from '@mqttlab/shared/statistics/estimates/clock-offset';
import type { MqttClient } from 'mqtt';
import { describeNegotiated } from '../clients/offered-tls.ts';
import { mergeParts } from '../instruments/instrument.ts';
import { makeDurations, toHistogramsJson } from '../load/counting/histograms.ts';
import { callAt, type MicrosecondClock } from '../load/pacing/clock.ts';
import { loadFailure } from '../processes/failures.ts';
import { makeClientTls } from '../tls/client-tls.ts';
import { brokerGroupListOf } from '../tls/suites-and-groups.ts';
import { ClientRole } from './client-role.ts';
import { makeEmptyResult, type RoleDriver, type RunContext } from './role.ts';

/**
 * A publisher on a device without an agent: this agent waits for the device, sends it the schedule, and
 * records its reports. Nothing is measured on this machine.
 */
export class ExternalPublisher implements RoleDriver {
  readonly #context: RunContext;
  readonly #command: ExternalCommand;
  readonly #device: DeviceConversation;
  readonly #roundTrips = makeDurations();
  readonly #facts: RoleResult['environment'] = {};
  #negotiated: Connected['negotiated'] | null = null;
  #clock: { before: ClockOffset; after: ClockOffset | null } | null = null;
  #started: { at: StartLoad; schedule: DeviceSchedule } | null = null;
  #sent: Extract<DeviceLine, { kind: 'sent' }> | null = null;
  #drained: Promise<Drained> | null = null;
  #cancels: (() => void)[] = [];
  #isOver = false;

  constructor(context: RunContext, command: ExternalCommand) {
    this.#context = context;
    this.#command = command;
    this.#device = new DeviceConversation(command, context.device.clock, (line) => this.#note(line));
  }

  async prepare(): Promise<{ pid: null }> {
    await this.#device.open();
    return { pid: null };
  }

  async connect(): Promise<Connected> {
    const connected = await this.#device.join(this.#context.log, this.#facts);
    this.#negotiated = connected.negotiated;
    await this.#device.agreeOnKey();
    const before = await this.#device.compareClocks();
    this.#clock = { before, after: null };
    const bound = `its clock is known to within ${Math.ceil(before.uncertaintyUs)} µs`;
    this.#context.log.add('info', 'agent', `${this.#command.external.name}: ${bound}`);
    return connected;
  }

  async start(at: StartLoad): Promise<{ pid: null }> {
    const { spec, clock, external, runTag } = this.#command;
    const offsetUs = (this.#clock?.before.offsetUs ?? 0) + clock.offsetUs;
    const schedule = scheduleFor(spec, at, { toDeviceUs: -offsetUs, roundTrip: external.roundTrip });
    this.#started = { at, schedule };
    this.#device.send(writeStart(schedule, { runTag, offsetUs, topic: spec.topic }));
    const { device, events } = this.#context;
    const enter = (phase: 'warm-up' | 'measure' | 'drain', atUs: number) =>
      callAt(device.clock, atUs - clock.offsetUs, () => events.onPhase(phase, null));
    this.#cancels = [
      enter('warm-up', at.warmUpAtUs),
      enter('measure', at.measureAtUs),
      enter('drain', at.measureAtUs + schedule.stopUs - schedule.measureUs),
    ];
    return { pid: null };
  }

  async drain(): Promise<Drained> {
    this.#drained ??= this.#drain();
    return await this.#drained;
  }

  async finish(): Promise<RoleResult> {
    this.#isOver = true;
    for (const cancel of this.#cancels) cancel();
    this.#device.send('stop');
    await this.#device.close();
    return mergeParts(resultOfDevice(this.#command, this.#device), {
      phases: this.#phases(),
      negotiated: this.#negotiated,
      counters: this.#counters(),
      histograms: toHistogramsJson({ roundTrip: this.#roundTrips }),
      clock: this.#clock,
      environment: this.#facts,
      log: this.#context.log.lines(),
    });
  }

  async #drain(): Promise<Drained> {
    const { clock, spec, external } = this.#command;
    const started = this.#started;
    if (started === null) return { messages: 0, timedOut: false };
    const { at, schedule } = started;
    const loadMs = (at.stopAtUs - clock.offsetUs - this.#context.device.clock.nowUs()) / 1000;
    const timeoutMs = Math.max(0, loadMs) + spec.drainTimeoutMs;
    this.#sent ??= await this.#device.readSent(timeoutMs);
    const { sent } = this.#sent;
    if (sent > schedule.planned) {
      throw new Failure({
        code: 'device-sent-too-much',
        message: `${external.name} sent ${sent} measured messages, but ${schedule.planned} were due.`,
        remedy: 'Install the program from the Devices page, which follows the schedule it receives.',
      });
    }
    if (this.#clock) this.#clock.after = await this.#device.compareClocks();
    return { messages: sent, timedOut: false };
  }

  #note(line: DeviceLine): void {
    if (line.kind === 'round') for (const us of line.us) this.#roundTrips.record(us);
    if (line.kind === 'sent') this.#sent = line;
    const isRunning = this.#started !== null && this.#sent === null && !this.#isOver;
    if (isRunning && (line.kind === 'gone' || line.kind === 'hello')) {
      this.#context.events.onFailure(lostDevice(this.#command.external.name));
    }
  }

  #counters(): RoleResult['counters'] {
    if (this.#sent === null || this.#started === null) return null;
    const { sent, acknowledged, late } = this.#sent;
    const { spec } = this.#command;
    const unsent = Math.max(0, this.#started.schedule.planned - sent);
    return makeCounters({
      sent,
      acknowledged,
      late,
      unsent,
      payloadBytesSent: sent * payloadBytesOf(spec),
      carriedBytesSent: sent * carriedBytesOf(spec),
    });
  }

  /**
   * Returns the phases by the agreed instants; the device's clock and stamps show when it actually began and
   * ended.
   */
  #phases(): PhaseRecord[] {
    if (this.#started === null) return [];
    const { at, schedule } = this.#started;
    const record = (phase: PhaseRecord['phase'], startUs: number, durationUs: number): PhaseRecord => ({
      phase,
      startUs,
      durationUs,
      cpuUs: null,
      energyJ: null,
      bytesSent: null,
      bytesReceived: null,
      connections: 1,
    });
    return [
      record('warm-up', at.warmUpAtUs, at.measureAtUs - at.warmUpAtUs),
      record('measure', at.measureAtUs, schedule.stopUs - schedule.measureUs),
    ];
  }
}

/**
 * A subscriber on a device without an agent. The device returns every message on a separate topic, where a
 * client of this agent counts them. The publisher's agent measures round trips with one clock. Nothing is
 * measured on this machine.
 */
export class ExternalSubscriber implements RoleDriver {
  readonly #context: RunContext;
  readonly #command: ExternalCommand;
  readonly #device: DeviceConversation;
  readonly #counting: ClientRole;
  readonly #facts: RoleResult['environment'] = {};
  #negotiated: Connected['negotiated'] | null = null;
  #isCounting = false;

  constructor(context: RunContext, command: ExternalCommand) {
    this.#context = context;
    this.#command = command;
    const { echo } = deviceTopics(command.external.name);
    this.#counting = new ClientRole(context, { ...command, spec: { ...command.spec, topic: echo } });
    this.#device = new DeviceConversation(command, context.device.clock, ({ kind }) => {
      if (!this.#isCounting || (kind !== 'gone' && kind !== 'hello')) return;
      context.events.onFailure(lostDevice(command.external.name));
    });
  }

  async prepare(): Promise<{ pid: number | null }> {
    await this.#device.open();
    return await this.#counting.prepare();
  }

  async connect(): Promise<Connected> {
    const connected = await this.#device.join(this.#context.log, this.#facts);
    this.#negotiated = connected.negotiated;
    await this.#device.subscribe();
    await this.#counting.connect();
    return connected;
  }

  async start(at: StartLoad): Promise<{ pid: number | null }> {
    this.#isCounting = true;
    return await this.#counting.start(at);
  }

  async drain(expected: number | null): Promise<Drained> {
    const drained = await this.#counting.drain(expected);
    this.#isCounting = false;
    return drained;
  }

  async finish(): Promise<RoleResult> {
    this.#isCounting = false;
    this.#device.send('stop');
    await this.#device.close();
    const { counters, throughput, degraded } = await this.#counting.finish();
    return mergeParts(resultOfDevice(this.#command, this.#device), {
      counters,
      throughput,
      negotiated: this.#negotiated,
      environment: this.#facts,
      log: this.#context.log.lines(),
      degraded: degraded.filter(({ collector }) => collector === 'messages'),
    });
  }
}

/** Returns the result for a device without an agent, without measurements from this machine. */
function resultOfDevice({ role, external }: ExternalCommand, { unreadable }: DeviceConversation): RoleResult {
  return {
    ...makeEmptyResult(role),
    environment: { 'client.engine': 'external device', 'device.name': external.name },
    degraded:
      unreadable === 0
        ? []
        : [{ collector: 'device', reason: `${unreadable} lines of ${external.name} could not be read.` }],
  };
}

function lostDevice(name: string): RoleFailure {
  return {
    code: 'device-lost',
    message: `${name} lost its connection to the broker during the run.`,
    remedy: 'Check its radio, its power supply and its log, then retry the run.',
  };
}

type ExternalCommand = PrepareClient & { external: ExternalDevice };

/** Log for milestones in a run; its lines are shown on the run page. */
interface DeviceLog {
  milestone(source: 'agent', text: string): void;
}

type LineOf<Kind extends DeviceLine['kind']> = Extract<DeviceLine, { kind: Kind }>;

const brokerTimeoutMs = 15_000;
/**
 * Interval between greetings, which are repeated because the device may subscribe after the first greeting.
 */
const greetEveryMs = 1_000;
const clockExchanges = 16;
const clockTimeoutMs = 2_000;
/** A key agreement on P-256 takes a second on a small processor. */
const keyTimeoutMs = 10_000;
/** Pause between exchanges, so that a single radio delay does not affect all of them. */
const clockGapMs = 20;

interface DeviceRequest {
  /** Request to send; absent if the device reports without a request. */
  line?: string;
  timeoutMs: number;
  /** Failure to report if there is no response. */
  late: () => Failure;
}

interface ReceivedLine {
  line: DeviceLine;
  /** Time on this machine's clock. */
  receivedUs: number;
}

/**
 * Returns the request that a line answers. There is one request of each kind at a time, except for clock
 * requests, which are numbered.
 */
function requestOf(line: DeviceLine): string {
  return line.kind === 'clock' ? `clock ${line.id}` : line.kind;
}

/**
 * Exchanges lines over MQTT with a device that has no agent; topics and lines are defined in catalogue/external-device.
 */
class DeviceConversation {
  readonly #command: ExternalCommand;
  readonly #clock: MicrosecondClock;
  readonly #onLine: (line: DeviceLine) => void;
  readonly #topics: ReturnType<typeof deviceTopics>;
  readonly #requests = new Requests<string, ReceivedLine>();
  readonly #closing = new AbortController();
  #client: MqttClient | null = null;
  #unreadable = 0;

  /** `onLine` receives every line, whether awaited or not. */
  constructor(command: ExternalCommand, clock: MicrosecondClock, onLine: (line: DeviceLine) => void) {
    this.#command = command;
    this.#clock = clock;
    this.#onLine = onLine;
    this.#topics = deviceTopics(command.external.name);
  }

  /** Number of invalid lines. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Connects to the broker in the same way as the device. Rejects with Failure. */
  async open(): Promise<void> {
    const { broker, credentials, runTag } = this.#command;
    const [{ MqttClient: Client }, tls] = await Promise.all([import('mqtt'), makeClientTls(this.#command)]);
    const at = { host: broker.address, port: broker.port };
    const client = new Client(() => (tls === null ? connectTcp(at) : connectTls({ ...tls.take(), ...at })), {
      clientId: `mqttlab-${runTag.toString(16)}`,
      protocolVersion: 4,
      reconnectPeriod: 0,
      ...credentials,
    });
    this.#client = client;
    const opened = new Promise<void>((resolve, reject) => {
      client.on('error', (error) =>
        reject(loadFailure('connection-refused', `The broker refused the agent: ${reasonOf(error)}`)),
      );
      client.once('connect', () => resolve());
    });
    client.on('message', (_topic, payload) => this.#receive(payload.toString('utf8')));
    await within(brokerTimeoutMs, noBroker, this.#unlessClosed(opened));
    await within(
      brokerTimeoutMs,
      noBroker,
      this.#unlessClosed(client.subscribeAsync(this.#topics.tell, { qos: 1 })),
    );
  }

  /** Waits until the device is connected, and records what its program reports about itself. Rejects with Failure. */
  async join(log: DeviceLog, facts: RoleResult['environment']): Promise<Connected> {
    const { external, broker, spec } = this.#command;
    log.milestone('agent', `waiting for ${external.name} to connect to ${broker.address}:${broker.port}`);
    const program = await this.#meet();
    facts['device.program'] = program;
    log.milestone('agent', `${external.name} is connected (${program})`);
    // The broker offers only this version, suite and group, so every connected client uses them.
    const singleGroup = brokerGroupListOf(spec) !== null;
    return {
      negotiated: {
        ...describeNegotiated(this.#command, { local: null, singleGroup, grantedQos: null }),
        // The broker does not report whether the device resumed a session from an earlier run.
        resumed: null,
      },
    };
  }

  async #meet(): Promise<string> {
    const { external, broker } = this.#command;
    const late = () =>
      new Failure({
        code: 'device-not-connected',
        message: `${external.name} did not connect to ${broker.address}:${broker.port} within ${external.waitSeconds} s.`,
        remedy:
          "Check that it is switched on, that its program uses the address, ports, password and CA certificate shown on the Devices page, and that no firewall blocks the connection. The broker's log shows whether the device tried to connect.",
      });
    const greeting = setInterval(() => this.send('hello'), greetEveryMs);
    try {
      const timeoutMs = external.waitSeconds * 1000;
      const { version, program } = await this.#ask('hello', { line: 'hello', timeoutMs, late });
      if (version === deviceProtocolVersion) return program;
      throw new Failure({
        code: 'device-program',
        message: `The program of ${external.name} uses version ${version} of the protocol, not ${deviceProtocolVersion}.`,
        remedy: 'Install the program from the Devices page on the device.',
      });
    } finally {
      clearInterval(greeting);
    }
  }

  /**
   * Returns the offset between the device's clock and this machine's clock, from the fastest of several
   * exchanges. Rejects with Failure.
   */
  async compareClocks(): Promise<ClockOffset> {
    const samples: ClockSample[] = [];
    const late = () => this.#silent('was asked for its clock');
    for (let id = 0; id < clockExchanges; id += 1) {
      if (id > 0) await wait(clockGapMs);
      const t0Us = this.#clock.nowUs();
      const request = { line: `clock ${id}`, timeoutMs: clockTimeoutMs, late };
      const { atUs, receivedUs } = await this.#ask('clock', request, `clock ${id}`);
      samples.push({ t0Us, t1Us: atUs, t2Us: atUs, t3Us: receivedUs });
    }
    return clockOffsetOf(samples);
  }

  /**
   * Sends the device the other end's public key for this run, if there is a payload cipher. Rejects with
   * Failure if its program does not support that cipher.
   */
  async agreeOnKey(): Promise<void> {
    const { external, spec, payloadKey } = this.#command;
    if (spec.payloadCipher === null || payloadKey?.kind !== 'peer') return;
    const label = findPayloadCipherDefinition(spec.payloadCipher)?.label ?? spec.payloadCipher;
    const unsupported = () =>
      new Failure({
        code: 'device-cipher',
        message: `${external.name} cannot encrypt with ${label}: its program does not support this cipher.`,
        remedy:
          'Install the program from the Devices page in C++, or in Python with the package cryptography, or choose no payload cipher.',
      });
    const line = writeKey(spec.payloadCipher, payloadKey.peerPublicKey);
    // A program from an earlier version ignores unknown kinds of lines.
    const { agreed } = await this.#ask('key', { line, timeoutMs: keyTimeoutMs, late: unsupported });
    if (agreed !== 1) throw unsupported();
  }

  /** Makes the device return messages that arrive on the run's topic. Rejects with Failure. */
  async subscribe(): Promise<void> {
    const { qos, topic } = this.#command.spec;
    const late = () => this.#silent('was asked to subscribe');
    await this.#ask('echo', { line: `echo ${qos} ${topic}`, timeoutMs: clockTimeoutMs, late });
  }

  /** Returns the line that ends a load. Rejects with Failure if it does not arrive. */
  async readSent(timeoutMs: number): Promise<LineOf<'sent'>> {
    return await this.#ask('sent', {
      timeoutMs,
      late: () => this.#silent('was asked to report its sent messages'),
    });
  }

  send(line: string): void {
    this.#client?.publish(this.#topics.ask, line, { qos: 1 });
  }

  /** Rejects every pending request. Idempotent, never rejects. */
  async close(): Promise<void> {
    const stopped = new Failure({
      code: 'stopped',
      message: 'The run was ended.',
      remedy: 'Retry the run if needed.',
    });
    this.#closing.abort(stopped);
    this.#requests.rejectAll(stopped);
    await this.#client?.endAsync(true).catch(() => {});
  }

  #receive(text: string): void {
    const receivedUs = this.#clock.nowUs();
    const line = readDeviceLine(text);
    if (line === null) {
      this.#unreadable += 1;
      return;
    }
    this.#requests.resolve(requestOf(line), { line, receivedUs });
    this.#onLine(line);
  }

  /** Returns the next line of that kind. Rejects with Failure if it does not arrive, or if the run was ended. */
  async #ask<Kind extends DeviceLine['kind']>(
    kind: Kind,
    request: DeviceRequest,
    key: string = kind,
  ): Promise<LineOf<Kind> & { receivedUs: number }> {
    const isWanted = (line: DeviceLine): line is LineOf<Kind> => line.kind === kind;
    const send = () => {
      this.#closing.signal.throwIfAborted();
      if (request.line !== undefined) this.send(request.line);
    };
    const timeout = { ms: request.timeoutMs, late: request.late };
    const { line, receivedUs } = await this.#requests.ask(key, { send, timeout });
    if (!isWanted(line)) throw new RangeError(`${line.kind} is not an answer to ${key}`);
    return { ...line, receivedUs };
  }

  async #unlessClosed<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#closing;
    const closed = signal.aborted ? Promise.resolve() : once(signal, 'abort');
    return await Promise.race([work, closed.then(() => Promise.reject(signal.reason))]);
  }

  #silent(what: string): Failure {
    return new Failure({
      code: 'device-silent',
      message: `${this.#command.external.name} ${what} and did not answer.`,
      remedy: 'Check its log and its radio, install the program from the Devices page, then retry the run.',
    });
  }
}

function noBroker(): Failure {
  return loadFailure('timeout', `The broker did not answer the agent within ${brokerTimeoutMs / 1000} s.`);
}
