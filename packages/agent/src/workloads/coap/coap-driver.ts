import type { Socket } from 'node:dgram';
import { payloadBytesOf, stampBytes } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Negotiated } from '@mqttlab/shared/domain/runs/role-result';
import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { loadFailure } from '../../load-process/failures.ts';
import type { LoadDriver, LoadDriverOptions } from '../../load-process/load-driver.ts';
import { waitAtMost, within } from '../../load-process/within.ts';
import type { LoadResult, PrepareWorker } from '../../load-process/worker-messages.ts';
import { makePublishTemplate } from '../../mqtt/publish-template.ts';
import { BlockingPacer } from '../../pacing/blocking-pacer.ts';
import { Latch } from '../../pacing/latch.ts';
import type { Paced } from '../../pacing/pacer.ts';
import {
  dueCount,
  dueCountBefore,
  dueUsOf,
  joinPublishers,
  makeSchedule,
  type Schedule,
} from '../../pacing/schedule.ts';
import { type Instants, type LoadPhase, Timeline } from '../../pacing/timeline.ts';
import { ArrivalWindow } from '../counting/arrival-window.ts';
import { toHistogramJson } from '../counting/histogram-json.ts';
import { PhaseMeter, type WireBytes } from '../counting/phase-meter.ts';
import { SentWindow } from '../counting/sent-window.ts';
import type { LoadSnapshot } from '../role-load.ts';
import { describeEnds, ownAddressFor } from './coap-ends.ts';
import type { CoapPublisher, CoapTotals } from './coap-publisher.ts';

export interface CoapDriverOptions extends Omit<LoadDriverOptions, 'command'> {
  command: PrepareWorker;
}

/** As publishers of MQTT count. */
const lateAfterUs = 1_000;
/** Two ways to compute one due time differ by less than this. */
const roundingUs = 0.01;
/** For a confirmable request and, where it gets lost, some of its repetitions. */
const answerTimeoutMs = 30_000;

/** The publishers of a Run over CoAP, paced as those of MQTT; its subscriber has nothing to do. */
export class CoapDriver implements LoadDriver, Paced {
  /** This very process. */
  readonly processes = null;
  readonly #options: CoapDriverOptions;
  readonly #meter: PhaseMeter;
  readonly #totals: CoapTotals = makeTotals();
  readonly #sockets: Socket[] = [];
  readonly #publishers: CoapPublisher[] = [];
  readonly #ended = new Latch();
  #onIdle: () => void = () => {};
  #schedule: Schedule | null = null;
  #timeline: Timeline | null = null;
  #pacer: BlockingPacer | null = null;
  #startedAt: StartLoad | null = null;
  /** null until somebody answered. */
  #ends: Negotiated | null = null;
  #measuring = false;
  #stopped = false;
  #finished = false;
  #unsent = 0;

  constructor(options: CoapDriverOptions) {
    this.#options = options;
    this.#meter = new PhaseMeter({
      nowUs: () => this.#testbedUs(),
      wireBytes: () => this.wireBytes(),
      onPhase: options.onPhase,
    });
  }

  get role(): PrepareClient['role'] {
    return this.#options.command.role;
  }

  get waiting(): boolean {
    return this.#publishers.some(({ inFlight }) => inFlight > 0);
  }

  async prepare(): Promise<void> {
    const { command, clock } = this.#options;
    const { spec, broker, runTag, role, localAddress, share } = command;
    if (role !== 'publisher') return;
    // Loaded where it is needed only: it would delay every other worker.
    const [{ Agent }, { openUdpSocket }, { CoapPublisher }, { rehearseCoap }] = await Promise.all([
      import('coap'),
      import('./udp-socket.ts'),
      import('./coap-publisher.ts'),
      import('./rehearse-coap.ts'),
    ]);
    if (this.#options.rehearses) await rehearseCoap();
    const { packet, payloadAt } = makePublishTemplate(spec, runTag);
    const payload = Buffer.from(packet.subarray(payloadAt));
    const stamped = payloadBytesOf(spec) >= stampBytes;
    for (let index = 0; index < spec.publishers; index += 1) {
      const socket = await openUdpSocket(localAddress ?? ownAddressFor(broker.address));
      this.#sockets.push(socket);
      this.#publishers.push(
        new CoapPublisher({
          socket,
          server: broker,
          runTag,
          clock,
          payload,
          stamped,
          index,
          lateAfterUs,
          agent: new Agent({ socket }),
          number: (share?.first ?? 0) + index,
          confirmable: spec.applicationProtocol === 'coap confirmable',
          offsetUs: command.clock.offsetUs,
          totals: this.#totals,
          onFree: () => this.#goOn(),
        }),
      );
    }
  }

  /** One request of each client that is answered: there is no connection to open. */
  async connect(): Promise<Connected> {
    const { address, port } = this.#options.command.broker;
    const answered = Promise.all(this.#publishers.map((publisher) => publisher.reach()));
    const tooLong = () => loadFailure('timeout', `The CoAP server on ${address}:${port} did not answer.`);
    await within(answerTimeoutMs, tooLong, answered);
    const [socket] = this.#sockets;
    const ends = describeEnds({ address, port, socket: socket ?? null });
    // A subscriber talks to nobody.
    if (socket !== undefined) this.#ends = ends;
    return { negotiated: ends };
  }

  start(at: StartLoad): void {
    if (this.#timeline !== null || this.#stopped) return;
    const { command, clock } = this.#options;
    const { offsetUs } = command.clock;
    this.#startedAt = at;
    const instants: Instants = {
      warmUpAtUs: at.warmUpAtUs - offsetUs,
      measureAtUs: at.measureAtUs - offsetUs,
      stopAtUs: at.stopAtUs - offsetUs,
    };
    this.#totals.requests.open(instants);
    this.#totals.answers.open(instants);
    this.#timeline = new Timeline(instants, (phase) => this.#enter(phase));
    const schedule = makeSchedule(command.spec, instants.warmUpAtUs, command.share);
    if (schedule !== null && this.#publishers.length > 0) this.#plan(instants, schedule);
    this.#pacer = new BlockingPacer({ paced: this, clock });
    this.#pacer.start();
  }

  turn(nowUs: number): number {
    const boundaryUs = this.#timeline?.advance(nowUs) ?? Number.POSITIVE_INFINITY;
    if (this.#stopped) return Number.POSITIVE_INFINITY;
    for (const publisher of this.#publishers) publisher.pump(nowUs);
    this.#endWhenCounted();
    const schedule = this.#schedule;
    if (schedule === null) return boundaryUs;
    const next = dueCount(schedule, 0, nowUs - roundingUs);
    return Math.min(boundaryUs, dueUsOf(schedule, 0, next) + roundingUs);
  }

  async drain(): Promise<Drained> {
    // Only publishers know when a load of so many messages is over.
    if (this.#publishers.length === 0) this.#timeline?.advance(Number.POSITIVE_INFINITY);
    await this.#ended.opened;
    const { drainTimeoutMs } = this.#options.command.spec;
    const timedOut = this.waiting && !(await waitAtMost(drainTimeoutMs, this.#untilIdle()));
    this.#meter.end({ connections: this.#publishers.length });
    return { messages: this.#totals.sent, timedOut };
  }

  progress(): (LoadSnapshot & { atMs: number }) | null {
    if (this.#startedAt === null || this.#finished) return null;
    const { sent, all, late, recent } = this.#totals;
    const at = (percent: number) => (recent.percentile(percent) ?? 0) / 1000;
    const latencyMs = recent.count === 0 ? null : { p5: at(5), p50: at(50), p95: at(95) };
    recent.reset();
    return {
      messages: sent,
      all,
      late,
      latencyMs,
      atMs: (this.#testbedUs() - this.#startedAt.measureAtUs) / 1000,
    };
  }

  wireBytes(): WireBytes {
    return { ...this.#totals.wire };
  }

  async finish(): Promise<LoadResult> {
    const localPorts = this.#finished ? [] : this.#sockets.map((socket) => socket.address().port);
    this.#finished = true;
    this.#stop();
    for (const publisher of this.#publishers) publisher.abandon();
    this.#meter.end({ connections: this.#publishers.length });
    for (const socket of this.#sockets.splice(0)) socket.close();
    const { sent, answered, late, retransmitted, lateness, exchange } = this.#totals;
    const exchanges = toHistogramJson(exchange);
    const payloadBytesSent = sent * payloadBytesOf(this.#options.command.spec);
    const counters = makeCounters({
      sent,
      acknowledged: answered,
      late,
      unsent: this.#unsent,
      payloadBytesSent,
      carriedBytesSent: payloadBytesSent,
    });
    return {
      phases: [...this.#meter.records],
      negotiated: this.#ends,
      localPorts,
      counters: this.#startedAt === null ? null : counters,
      throughput: this.role === 'publisher' ? this.#throughput() : null,
      latency: null,
      lateness: toHistogramJson(lateness),
      histograms: exchanges === null ? {} : { exchange: exchanges },
      states: [],
      randomness: [],
      facts: this.role === 'publisher' ? { 'wire.retransmitted': retransmitted } : {},
      degraded: [],
    };
  }

  #throughput(): LoadResult['throughput'] {
    const { offsetUs } = this.#options.command.clock;
    const sent = this.#totals.requests.figures(offsetUs);
    return sent && { ...sent, arrived: this.#totals.answers.figures(offsetUs)?.arrived ?? null };
  }

  #testbedUs(): number {
    return this.#options.clock.nowUs() + this.#options.command.clock.offsetUs;
  }

  #plan(instants: Instants, own: Schedule): void {
    const { window, messages } = this.#options.command.spec;
    this.#schedule = joinPublishers(own);
    for (const [index, publisher] of this.#publishers.entries()) {
      const firstMeasured = dueCountBefore(own, index, instants.measureAtUs);
      const most = firstMeasured + (messages ?? Number.POSITIVE_INFINITY);
      const end = Math.min(dueCountBefore(own, index, instants.stopAtUs), most);
      publisher.open({ schedule: own, firstMeasured, end, window });
    }
  }

  #enter(phase: LoadPhase): void {
    const nowUs = this.#options.clock.nowUs();
    if (phase === 'measure') this.#measuring = true;
    if (phase === 'drain') {
      // What was due before the end and has room goes out; the rest is unsent.
      if (this.#schedule !== null) for (const publisher of this.#publishers) publisher.pump(nowUs);
      this.#stop();
      this.#totals.answers.close(nowUs);
    }
    this.#totals.requests.enter(phase, nowUs);
    this.#meter.begin(phase, this.#publishers.length);
    if (this.#schedule !== null) return;
    const { window, messages } = this.#options.command.spec;
    for (const publisher of this.#publishers) {
      if (phase === 'warm-up') publisher.openUnpaced(window);
      if (phase === 'measure') publisher.measureFromNow(messages);
    }
  }

  #stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#pacer?.stop();
    for (const publisher of this.#publishers) this.#unsent += publisher.close();
    this.#ended.open();
  }

  /** An exchange is over: there is room for the next. */
  #goOn(): void {
    if (!this.#stopped && this.#timeline !== null) {
      const nowUs = this.#options.clock.nowUs();
      for (const publisher of this.#publishers) publisher.pump(nowUs);
      this.#endWhenCounted();
    }
    if (!this.waiting) this.#onIdle();
  }

  #untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #endWhenCounted(): void {
    const counts = this.#options.command.spec.messages !== null && this.#measuring && !this.#stopped;
    if (counts && this.#publishers.length > 0 && this.#publishers.every(({ finished }) => finished)) {
      this.#timeline?.advance(Number.POSITIVE_INFINITY);
    }
  }
}

function makeTotals(): CoapTotals {
  const histogram = () => new LatencyHistogram({ lowest: 1, highest: 3e8, significantDigits: 3 });
  return {
    sent: 0,
    all: 0,
    answered: 0,
    late: 0,
    retransmitted: 0,
    wire: { sent: 0, received: 0 },
    requests: new SentWindow(),
    answers: new ArrivalWindow(),
    lateness: histogram(),
    exchange: histogram(),
    recent: histogram(),
  };
}
