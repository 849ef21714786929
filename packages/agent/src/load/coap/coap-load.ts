import type { Socket } from 'node:dgram';
import { isLoopbackAddress } from '@mqttlab/shared/domain/devices/network-address';
import { payloadBytesOf, stampBytes } from '@mqttlab/shared/domain/plans/trial-levels';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type { Negotiated } from '@mqttlab/shared/domain/runs/role-result';
import { within } from '@mqttlab/shared/kit/waiting';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import type { Agent, OutgoingMessage } from 'coap';
import type { WireBytes } from '../../mqtt/connection-source.ts';
import { makePublishTemplate } from '../../mqtt/packets.ts';
import { makeStamp, writeStamp } from '../../payload/stamp.ts';
import { loadFailure } from '../../processes/failures.ts';
import { plainText } from '../../tls/negotiated.ts';
import { RecentLatency, toHistogramJson, toHistogramsJson } from '../counting/histograms.ts';
import { PhaseMeter } from '../counting/phase-meter.ts';
import { ArrivalWindow, SentWindow } from '../counting/throughput.ts';
import type { MicrosecondClock } from '../pacing/clock.ts';
import { dueCount, dueUsOf } from '../pacing/schedule.ts';
import { toLocalInstants } from '../pacing/timeline.ts';
import { lateAfterUs, type PacedPublisher, type Sending, type SendingPlan } from '../publisher.ts';
import { PacedLoad } from '../publisher-load.ts';
import { needsBesideTraffic, settleUs } from '../rehearsal.ts';
import {
  emptyLoadResult,
  type LoadDriver,
  type LoadDriverOptions,
  type LoadResult,
  type LoadSnapshot,
  type PrepareWorker,
} from '../worker-messages.ts';

export interface CoapDriverOptions extends Omit<LoadDriverOptions, 'command'> {
  command: PrepareWorker;
}

/** Timeout for a confirmable request, including some retransmissions if it is lost. */
const answerTimeoutMs = 30_000;
/**
 * Exchanges before the first measured exchange. The library and the pacing are compiled after about 3,000 exchanges;
 * before that, an exchange needs three times its CPU time.
 */
const rehearsedPerSecond = 3_000;
const rehearsalMs = 1_000;
const rehearsalDrainTimeoutMs = 2_000;
const loopback = '127.0.0.1';
/** Exchanges during the warm-up of a load that itself has few. */
const besidePerSecond = 1_000;
/** A datagram is written immediately, and no broker grants anything. */
const noCarrier = { writer: { write: () => {} }, grant: null };

/** The publishers of a run over CoAP, paced like MQTT publishers; its subscriber does nothing. */
export class CoapDriver implements LoadDriver {
  /** This process itself. */
  readonly processes = null;
  readonly #options: CoapDriverOptions;
  readonly #meter: PhaseMeter;
  readonly #load: PacedLoad<CoapPublisher>;
  readonly #totals: CoapTotals;
  readonly #ends: { agent: Agent; socket: Socket }[] = [];
  readonly #publishers: CoapPublisher[] = [];
  #startedAt: StartLoad | null = null;
  /** null until the first response. */
  #negotiated: Negotiated | null = null;
  #finished = false;
  /** Extra exchanges during the warm-up if the load itself has few. */
  #beside: CoapRehearsal | null = null;

  constructor(options: CoapDriverOptions) {
    const { command, clock, onPhase } = options;
    this.#options = options;
    const sending = makeCoapSending({ command, clock }, (index) => this.#endOf(index));
    this.#totals = sending.totals;
    this.#load = new PacedLoad({ command, clock, payloadCipher: null }, sending);
    this.#meter = new PhaseMeter({
      nowUs: () => this.#testbedUs(),
      wireBytes: () => this.wireBytes(),
      onPhase,
    });
  }

  get role(): PrepareClient['role'] {
    return this.#options.command.role;
  }

  async prepare(): Promise<void> {
    const { spec, broker, role, localAddress } = this.#options.command;
    if (role !== 'publisher') return;
    if (this.#options.rehearses) await this.#rehearse();
    // Loaded on demand, because loading it would delay every other worker.
    const [{ Agent }, { openUdpSocket }] = await Promise.all([import('coap'), import('./coap-endpoint.ts')]);
    for (let index = 0; index < spec.publishers; index += 1) {
      const socket = await openUdpSocket(localAddress ?? ownAddressFor(broker.address));
      this.#ends.push({ socket, agent: new Agent({ socket }) });
      this.#publishers.push(this.#load.attach(noCarrier, index));
    }
  }

  async #rehearse(): Promise<void> {
    await new CoapRehearsal(this.#options).play(rehearsedPerSecond, rehearsalMs);
    if (needsBesideTraffic(this.#options.command.spec)) this.#beside = new CoapRehearsal(this.#options);
  }

  #endOf(index: number): { agent: Agent; socket: Socket } {
    const end = this.#ends[index];
    if (!end) throw new RangeError(`CoAP client ${index} has no socket`);
    return end;
  }

  /** Lets each client send one request and waits for the response, because there is no connection to open. */
  async connect(): Promise<Connected> {
    const { address, port } = this.#options.command.broker;
    const answered = Promise.all(this.#publishers.map((publisher) => publisher.reach()));
    const tooLong = () => loadFailure('timeout', `The CoAP server on ${address}:${port} did not answer.`);
    await within(answerTimeoutMs, tooLong, answered);
    const socket = this.#ends[0]?.socket ?? null;
    const negotiated = describeEnds({ address, port, socket });
    // A subscriber sends nothing.
    if (socket !== null) this.#negotiated = negotiated;
    return { negotiated };
  }

  start(at: StartLoad): void {
    if (this.#startedAt !== null) return;
    const { command, clock } = this.#options;
    const { answers } = this.#totals;
    this.#startedAt = at;
    const instants = toLocalInstants(at, command.clock.offsetUs);
    answers.open(instants);
    const besideMs = (instants.measureAtUs - settleUs - clock.nowUs()) / 1000;
    if (besideMs > 0) void this.#beside?.play(besidePerSecond, besideMs);
    this.#load.start(instants, (phase) => {
      if (phase === 'drain') answers.close(clock.nowUs());
      this.#meter.begin(phase, this.#publishers.length);
    });
  }

  async drain(): Promise<Drained> {
    // Only publishers can detect the end of a load with a message count.
    if (this.#publishers.length === 0) this.#load.endNow();
    const drained = await this.#load.drain();
    this.#meter.end({ connections: this.#publishers.length });
    return drained;
  }

  progress(): (LoadSnapshot & { atMs: number }) | null {
    if (this.#startedAt === null || this.#finished) return null;
    const atMs = (this.#testbedUs() - this.#startedAt.measureAtUs) / 1000;
    return { ...this.#load.snapshot(), latencyMs: this.#totals.recent.take(), atMs };
  }

  cutBucket(): LoadSnapshot['latencyMs'] {
    return this.#totals.recent.cutBucket();
  }

  wireBytes(): WireBytes {
    return { ...this.#totals.wire };
  }

  async finish(): Promise<LoadResult> {
    const localPorts = this.#ends.map(({ socket }) => socket.address().port);
    this.#finished = true;
    await this.#beside?.stop();
    this.#load.stop();
    for (const publisher of this.#publishers) publisher.abandon();
    this.#meter.end({ connections: this.#publishers.length });
    for (const { socket } of this.#ends.splice(0)) socket.close();
    const { counters, ...figures } = this.#load.figures();
    return {
      ...emptyLoadResult,
      phases: [...this.#meter.records],
      negotiated: this.#negotiated,
      localPorts,
      ...(this.role === 'publisher' ? figures : {}),
      counters: this.#startedAt === null ? null : counters,
    };
  }

  #testbedUs(): number {
    return this.#options.clock.nowUs() + this.#options.command.clock.offsetUs;
  }
}

/** A load like the measured one, from one client to a server within this process. Never rejects. */
class CoapRehearsal {
  readonly #options: CoapDriverOptions;
  #driver: CoapDriver | null = null;

  constructor(options: CoapDriverOptions) {
    this.#options = options;
  }

  /** Makes exchanges from now on for `ms`. */
  async play(readingsPerSecond: number, ms: number): Promise<void> {
    const { openUdpSocket, answerRequests } = await import('./coap-endpoint.ts');
    const { command, clock, ...rest } = this.#options;
    let stopServer = (): void => {};
    try {
      const socket = await openUdpSocket(loopback);
      stopServer = answerRequests(socket);
      const spec = {
        ...command.spec,
        messages: null,
        publishers: 1,
        readingsPerMessage: 1,
        readingsPerSecond,
        drainTimeoutMs: rehearsalDrainTimeoutMs,
      };
      const broker = { ...command.broker, address: loopback, port: socket.address().port };
      const own = { ...command, spec, broker, share: null, localAddress: loopback };
      const driver = new CoapDriver({ ...rest, clock, command: own, onPhase: () => {}, rehearses: false });
      this.#driver = driver;
      await driver.prepare();
      await driver.connect();
      const atUs = clock.nowUs() + command.clock.offsetUs;
      driver.start({ kind: 'start', warmUpAtUs: atUs, measureAtUs: atUs, stopAtUs: atUs + ms * 1000 });
      await driver.drain();
    } catch {
      // Code that has not been compiled by then affects the verdict on the warm-up.
    } finally {
      await this.stop();
      stopServer();
    }
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    const driver = this.#driver;
    this.#driver = null;
    await driver?.finish();
  }
}

/**
 * Returns the local address if none is configured: the server's address on loopback, otherwise the kernel's
 * choice.
 */
function ownAddressFor(address: string): string {
  if (isLoopbackAddress(address)) return address;
  return address.includes(':') ? '::' : '0.0.0.0';
}

/** Returns the addresses of both ends; nothing else is known, because UDP has no negotiation. */
function describeEnds(ends: { address: string; port: number; socket: Socket | null }): Negotiated {
  const local = ends.socket?.address();
  return {
    ...plainText,
    mqttVersion: 'none: CoAP',
    grantedQos: null,
    receiveMaximum: null,
    maximumPacketBytes: null,
    localAddress: local?.address ?? '',
    localPort: local?.port ?? 0,
    remoteAddress: ends.address,
    remotePort: ends.port,
  };
}

interface CoapPublisherOptions {
  command: PrepareClient;
  clock: MicrosecondClock;
  agent: Agent;
  socket: Socket;
  /** Index of the publisher on this device. */
  index: number;
  payload: Buffer;
  totals: CoapTotals;
  /** Called when an exchange has ended for which others waited. */
  onFree: () => void;
}

/** Minimum wait before a confirmable message is sent again (RFC 7252 section 4.8), used as a timeout. */
const nonConfirmableTimeoutMs = 2_000;
/** A timer that is later than this fired in a process that was suspended. */
const keptFromRunningMs = 250;
/**
 * An empty acknowledgement (RFC 7252 section 3): the library writes it without using the counting senders.
 */
const emptyAckBytes = 4;

/** The requests of one client, from due time to response. Times are in µs on the local clock. */
export class CoapPublisher implements PacedPublisher {
  /** Always false, because a request is written immediately. */
  readonly waitsForWrite = false;
  readonly #options: CoapPublisherOptions;
  readonly #stamp = makeStamp();
  readonly #underWay = new Map<OutgoingMessage, NodeJS.Timeout | null>();
  #plan: SendingPlan = { schedule: null, firstMeasured: 0, end: 0, window: 1 };
  #next = 0;
  #blocked = false;

  constructor(options: CoapPublisherOptions) {
    this.#options = options;
    const { runTag, share } = options.command;
    this.#stamp.runTag = runTag;
    this.#stamp.publisher = (share?.first ?? 0) + options.index;
    const { wire } = options.totals;
    options.socket.on('message', (message) => {
      wire.received += message.length;
      const isConfirmable = ((message[0] ?? 0) & 0x30) === 0;
      if (isConfirmable) wire.sent += emptyAckBytes;
    });
  }

  get blocked(): boolean {
    return this.#blocked;
  }

  get inFlight(): number {
    return this.#underWay.size;
  }

  get finished(): boolean {
    return this.#next >= this.#plan.end;
  }

  open(plan: SendingPlan): void {
    this.#plan = plan;
  }

  /** Resolves when the server has responded to a confirmable request; rejects if there is no response. */
  reach(): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = this.#request(true);
      const fail = (error: Error): void => {
        this.#cancel(request);
        reject(error);
      };
      request.on('error', fail);
      request.on('timeout', fail);
      request.on('response', () => {
        this.#finish(request);
        resolve();
      });
      this.#begin(request, null);
      request.end();
    });
  }

  openUnpaced(window: number): void {
    const never = Number.MAX_SAFE_INTEGER;
    this.open({ schedule: null, firstMeasured: never, end: never, window });
  }

  measureFromNow(messages: number | null): void {
    const end = messages === null ? this.#plan.end : this.#next + messages;
    this.#plan = { ...this.#plan, firstMeasured: this.#next, end };
  }

  pump(nowUs: number): void {
    const { index, clock } = this.#options;
    const { schedule, end, window } = this.#plan;
    let atUs = nowUs;
    const due = () => (schedule === null ? end : Math.min(end, dueCount(schedule, index, atUs)));
    this.#blocked = false;
    while (this.#next < due()) {
      this.#blocked = this.inFlight >= window;
      if (this.#blocked) return;
      this.#send(atUs);
      atUs = clock.nowUs();
    }
  }

  pumpLast(nowUs: number): void {
    this.pump(nowUs);
  }

  close(): number {
    const { schedule, end, firstMeasured } = this.#plan;
    const unsent = schedule === null ? 0 : end - Math.max(this.#next, firstMeasured);
    this.#plan = { ...this.#plan, end: 0 };
    this.#blocked = false;
    return Math.max(0, unsent);
  }

  /** Cancels pending requests, which remain unanswered. */
  abandon(): void {
    for (const request of [...this.#underWay.keys()]) this.#cancel(request);
  }

  #send(nowUs: number): void {
    const { command, totals, clock, payload } = this.#options;
    const confirmable = command.spec.applicationProtocol === 'coap confirmable';
    const k = this.#next;
    this.#next = k + 1;
    const measured = k >= this.#plan.firstMeasured;
    const dueUs = this.#intendedUs(k, { nowUs, measured });
    totals.all += 1;
    totals.window.add(1, nowUs);
    if (measured) totals.sent += 1;
    const request = this.#request(confirmable);
    request.on('error', () => this.#cancel(request));
    request.on('timeout', () => this.#cancel(request));
    request.on('response', () => {
      if (!this.#finish(request)) return;
      const answeredUs = clock.nowUs();
      totals.replies += 1;
      totals.answers.add(answeredUs, payload.length, measured);
      if (measured) {
        const tookUs = answeredUs - dueUs;
        totals.answered += 1;
        totals.exchange.record(tookUs);
        totals.recent.record(tookUs);
      }
      if (this.#blocked) this.#options.onFree();
    });
    this.#begin(request, confirmable ? null : this.#limitWait(request));
    request.end(this.#makePayload(measured, k, dueUs));
  }

  /**
   * Abandons the request if no response arrived in time. The event loop runs timers before sockets. After a
   * pause of this process or the machine, a response may have arrived but not been read, so the timeout
   * starts once more.
   */
  #limitWait(request: OutgoingMessage): NodeJS.Timeout {
    let dueMs = performance.now() + nonConfirmableTimeoutMs;
    const timer = setTimeout(() => {
      const nowMs = performance.now();
      if (nowMs - dueMs < keptFromRunningMs) {
        this.#cancel(request);
        return;
      }
      dueMs = nowMs + nonConfirmableTimeoutMs;
      timer.refresh();
    }, nonConfirmableTimeoutMs);
    return timer;
  }

  /** Makes a request that counts its bytes on the wire. */
  #request(confirmable: boolean): OutgoingMessage {
    const { agent, command, totals } = this.#options;
    const request = agent.request({
      hostname: command.broker.address,
      port: command.broker.port,
      confirmable,
      method: 'POST',
      pathname: 'r',
    });
    let transmissions = 0;
    request.sender.on('sending', (message: Buffer) => {
      transmissions += 1;
      totals.wire.sent += message.length;
      if (transmissions > 1) totals.retransmitted += 1;
    });
    return request;
  }

  /**
   * Returns the due time and records how late it is. With "as fast as possible", every message is due now.
   */
  #intendedUs(k: number, { nowUs, measured }: { nowUs: number; measured: boolean }): number {
    const { index, totals } = this.#options;
    const { schedule } = this.#plan;
    if (schedule === null) return nowUs;
    const dueUs = dueUsOf(schedule, index, k);
    if (measured) {
      totals.lateness.record(nowUs - dueUs);
      if (nowUs - dueUs > lateAfterUs) totals.late += 1;
    }
    return dueUs;
  }

  #makePayload(measured: boolean, sequence: number, dueUs: number): Buffer {
    const { payload, command } = this.#options;
    const bytes = Buffer.from(payload);
    if (payload.length >= stampBytes) {
      const stamp = this.#stamp;
      stamp.measured = measured;
      stamp.sequence = sequence;
      stamp.intendedUs = dueUs + command.clock.offsetUs;
      writeStamp(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, stamp);
    }
    return bytes;
  }

  #begin(request: OutgoingMessage, patience: NodeJS.Timeout | null): void {
    this.#underWay.set(request, patience);
    this.#options.totals.unwritten += 1;
  }

  /** Returns true if the request was still pending. */
  #finish(request: OutgoingMessage): boolean {
    const timer = this.#underWay.get(request);
    if (timer) clearTimeout(timer);
    const was = this.#underWay.delete(request);
    if (was) this.#options.totals.unwritten -= 1;
    return was;
  }

  #cancel(request: OutgoingMessage): void {
    if (!this.#finish(request)) return;
    this.#options.agent.abort(request);
    if (this.#blocked) this.#options.onFree();
  }
}

/** Makes the counterpart of makeSending for MQTT; `open` returns the socket of each publisher. */
function makeCoapSending(
  { command, clock }: Pick<CoapPublisherOptions, 'command' | 'clock'>,
  open: (index: number) => Pick<CoapPublisherOptions, 'agent' | 'socket'>,
): Sending<CoapPublisher> & { totals: CoapTotals } {
  const { spec, runTag } = command;
  const { offsetUs } = command.clock;
  const { packet, payloadAt } = makePublishTemplate(spec, runTag);
  const payload = Buffer.from(packet.subarray(payloadAt));
  const totals = makeTotals();
  return {
    totals,
    ownThread: false,
    backsOff: false,
    makePublisher: ({ index, onFree }) =>
      new CoapPublisher({ command, clock, payload, totals, index, onFree, ...open(index) }),
    altered: () => 0,
    figures(unsent) {
      const { sent, answered, late, retransmitted, lateness, exchange, window, answers } = totals;
      const payloadBytesSent = sent * payloadBytesOf(spec);
      const carriedBytesSent = payloadBytesSent;
      const throughput = window.figures(offsetUs);
      return {
        counters: makeCounters({
          sent,
          acknowledged: answered,
          late,
          unsent,
          payloadBytesSent,
          carriedBytesSent,
        }),
        throughput: throughput && { ...throughput, arrived: answers.figures(offsetUs)?.arrived ?? null },
        lateness: toHistogramJson(lateness),
        histograms: toHistogramsJson({ exchange }),
        facts: { 'wire.retransmitted': retransmitted },
      };
    },
  };
}

/**
 * Makes the totals of all publishers in a worker, for messages of the measure phase unless stated otherwise.
 */
function makeTotals() {
  const histogram = () => new LatencyHistogram({ lowest: 1, highest: 3e8, significantDigits: 3 });
  return {
    sent: 0,
    answered: 0,
    late: 0,
    /** Including warm-up: requests, responses, pending requests, retransmitted confirmable requests. */
    all: 0,
    replies: 0,
    unwritten: 0,
    retransmitted: 0,
    wire: { sent: 0, received: 0 },
    /** Requests, and responses to any of them that arrived in the meantime. */
    window: new SentWindow(),
    answers: new ArrivalWindow(),
    lateness: histogram(),
    exchange: histogram(),
    recent: new RecentLatency(),
  };
}

export type CoapTotals = ReturnType<typeof makeTotals>;
