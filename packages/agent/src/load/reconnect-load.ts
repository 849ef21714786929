import { waitAtMost, within } from '@mqttlab/shared/kit/waiting';
import type { Drained } from '@mqttlab/shared/messages/agent';
import type { Traffic } from '../mqtt/connection.ts';
import { packetTypes } from '../mqtt/packet-parser.ts';
import type { ByteWriter } from '../mqtt/packets.ts';
import { loadFailure } from '../processes/failures.ts';
import { silence } from './connecting-load.ts';
import { ConnectionMeter } from './counting/connection-meter.ts';
import { type Pacer, ThreadPacer } from './pacing/pacers.ts';
import { dueCount, dueUsOf, joinPublishers, makeSchedule, type Schedule } from './pacing/schedule.ts';
import { followTimeline, type Instants, type LoadPhase, Timeline } from './pacing/timeline.ts';
import { makeSending, type Publisher, planSending, type Sending } from './publisher.ts';
import type {
  LoadFigures,
  MakeMessageConnection,
  MessageConnection,
  RoleLoad,
  RoleLoadOptions,
} from './role-load.ts';
import type { LoadSnapshot } from './worker-messages.ts';

/** Two calculations of the same due time differ by less than this. */
const roundingUs = 0.01;

/**
 * Opens a connection for each message. Every publisher opens a connection when a message is due, or as soon
 * as its previous connection is closed. It therefore never has two connections at the same time. Latency is
 * measured from the due time, and lateness from the due time until the publisher starts to open the
 * connection.
 */
export class ReconnectLoad implements RoleLoad {
  readonly waiting = true;
  readonly #options: RoleLoadOptions;
  readonly #meter = new ConnectionMeter();
  readonly #sending: Sending;
  readonly #lanes: ReconnectLane[];
  readonly #ended = Promise.withResolvers<void>();
  readonly #idle = Promise.withResolvers<void>();
  #timeline: Timeline | null = null;
  /** Combined schedule of all publishers; null if messages are sent as fast as possible. */
  #schedule: Schedule | null = null;
  #pacer: Pick<Pacer, 'stop'> | null = null;
  #running = false;
  #stopped = false;
  #unsent = 0;

  constructor(options: RoleLoadOptions & { makeConnection: MakeMessageConnection }) {
    this.#options = options;
    this.#sending = makeSending(options);
    this.#lanes = Array.from({ length: options.command.spec.publishers }, (_, index) => {
      const lane: ReconnectLane = new ReconnectLane({
        command: options.command,
        makeConnection: (traffic, onLost) => options.makeConnection(index, traffic, onLost),
        meter: this.#meter,
        makePublisher: (to) => this.#sending.makePublisher({ index, to, onFree: () => {} }),
        onFree: () => this.#beginNext(lane),
        onUnsent: () => {
          this.#unsent += 1;
        },
      });
      return lane;
    });
  }

  attach(): Traffic {
    return silence;
  }

  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void {
    if (this.#pacer !== null || this.#stopped) return;
    const { clock, command } = this.#options;
    const enter = (phase: LoadPhase): void => this.#enter(phase, onEnter);
    this.#sending.totals.window.open(instants);
    const schedule = makeSchedule(command.spec, instants.warmUpAtUs, command.share);
    if (schedule === null) {
      this.#pacer = { stop: followTimeline(clock, instants, enter).cancel };
      return;
    }
    this.#plan(schedule, instants);
    this.#schedule = joinPublishers(schedule);
    this.#timeline = new Timeline(instants, enter);
    const pacer = new ThreadPacer({ paced: this, clock, schedule: this.#schedule, instants });
    this.#pacer = pacer;
    this.#running = true;
    pacer.start();
  }

  /** Starts everything that is due; returns the next due instant. */
  turn(nowUs: number): number {
    const boundaryUs = this.#timeline?.advance(nowUs) ?? Number.POSITIVE_INFINITY;
    const schedule = this.#schedule;
    if (this.#stopped || schedule === null) return Number.POSITIVE_INFINITY;
    this.#beginDue(nowUs);
    return Math.min(boundaryUs, dueUsOf(schedule, 0, dueCount(schedule, 0, nowUs - roundingUs)) + roundingUs);
  }

  lose(): void {}

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#pacer?.stop();
    for (const lane of this.#lanes) this.#unsent += lane.close();
    this.#ended.resolve();
    this.#checkIdle();
  }

  async drain(): Promise<Drained> {
    await this.#ended.promise;
    const timedOut = !(await waitAtMost(this.#options.command.spec.drainTimeoutMs, this.#idle.promise));
    return { messages: this.#sending.totals.sent - this.#sending.altered(), timedOut };
  }

  snapshot(): LoadSnapshot {
    const { sent, all, late } = this.#sending.totals;
    return { messages: sent, all, late, latencyMs: null };
  }

  figures(): LoadFigures {
    const figures = this.#sending.figures(this.#unsent);
    return {
      ...figures,
      counters: { ...figures.counters, ...this.#meter.counters() },
      histograms: { ...figures.histograms, ...this.#meter.histograms() },
      degraded: [...(figures.degraded ?? []), ...this.#meter.degraded()],
    };
  }

  #plan(schedule: Schedule, instants: Instants): void {
    for (const [index, { publisher }] of this.#lanes.entries()) {
      publisher.open(planSending(schedule, { index, instants, messages: null, window: 1 }));
    }
  }

  #enter(phase: LoadPhase, onEnter: (phase: LoadPhase) => void): void {
    const nowUs = this.#options.clock.nowUs();
    if (phase === 'drain') {
      // Messages due before the end are sent if their publisher is free; the others count as unsent.
      if (this.#schedule !== null) this.#beginDue(nowUs);
      this.stop();
    }
    this.#sending.totals.window.enter(phase, nowUs);
    onEnter(phase);
    if (this.#schedule !== null) return;
    for (const lane of this.#lanes) {
      if (phase === 'warm-up') lane.publisher.openUnpaced(1);
      if (phase === 'measure') lane.publisher.measureFromNow();
    }
    this.#running = true;
    if (phase === 'warm-up') this.#beginDue(nowUs);
  }

  #beginDue(nowUs: number): void {
    for (const lane of this.#lanes) {
      if (!lane.busy && lane.publisher.isDue(nowUs)) lane.begin(nowUs);
    }
  }

  #beginNext(lane: ReconnectLane): void {
    const nowUs = this.#options.clock.nowUs();
    if (this.#stopped) this.#checkIdle();
    else if (this.#running && lane.publisher.isDue(nowUs)) lane.begin(nowUs);
  }

  #checkIdle(): void {
    if (this.#lanes.every(({ busy }) => !busy)) this.#idle.resolve();
  }
}

interface ReconnectLaneOptions extends Pick<RoleLoadOptions, 'command'> {
  makeConnection: (traffic: Traffic, onLost: (why: string) => void) => MessageConnection;
  meter: ConnectionMeter;
  makePublisher: (to: ByteWriter) => Publisher;
  /** True if the last message was delivered or abandoned, and its connection is closed. */
  onFree: () => void;
  /** Called if a measured message was abandoned because its connection could not be opened. */
  onUnsent: () => void;
}

const acknowledgementTimeoutMs = 15_000;

/** One publisher that opens a connection for each message, one after the other. */
class ReconnectLane {
  readonly #options: ReconnectLaneOptions;
  readonly publisher: Publisher;
  #connection: MessageConnection | null = null;
  #busy = false;
  /**
   * True while the connection for a measured message is being opened: the message is neither sent nor
   * abandoned.
   */
  #opening = false;

  constructor(options: ReconnectLaneOptions) {
    this.#options = options;
    this.publisher = options.makePublisher({
      write: (bytes, done) => {
        if (this.#connection === null) done();
        else this.#connection.writer.write(bytes, done);
      },
    });
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Closes the publisher; returns the number of measured messages that were due and will not be sent. */
  close(): number {
    const left = this.publisher.close();
    return Math.max(0, this.#opening ? left - 1 : left);
  }

  /**
   * Opens a connection, publishes the next message, waits for its acknowledgement and closes the connection.
   */
  begin(beganUs: number): void {
    if (this.#busy) return;
    this.#busy = true;
    void this.#deliver(beganUs).finally(() => {
      this.#busy = false;
      this.#options.onFree();
    });
  }

  async #deliver(beganUs: number): Promise<void> {
    const { command, makeConnection, meter, onUnsent } = this.#options;
    const { spec } = command;
    const { publisher } = this;
    const measured = publisher.nextIsMeasured;
    this.#opening = measured;
    const acknowledged = Promise.withResolvers<void>();
    acknowledged.promise.catch(() => {});
    const lost = (why: string) => acknowledged.reject(loadFailure('connection-lost', why));
    const connection = makeConnection(this.#makeTraffic(acknowledged.resolve), lost);
    this.#connection = connection;
    let sent = false;
    try {
      const times = await connection.open();
      this.#opening = false;
      publisher.sendOne(beganUs);
      sent = true;
      if (spec.qos > 0) await within(acknowledgementTimeoutMs, tooLong, acknowledged.promise);
      await connection.close();
      if (measured) {
        meter.add(times);
        meter.addBytes(connection.measured());
      }
    } catch (error) {
      this.#opening = false;
      if (!sent) publisher.skipOne();
      if (!sent && measured) onUnsent();
      if (measured) meter.fail(error);
    } finally {
      connection.forget();
      this.#connection = null;
    }
  }

  #makeTraffic(onDelivered: () => void): Traffic {
    const { publisher } = this;
    return {
      onPublish: () => {},
      onAcknowledgement: (type, packetId, reasonCode) => {
        publisher.onAcknowledgement(type, packetId, reasonCode);
        if (type !== packetTypes.pubrec || reasonCode >= 0x80) onDelivered();
      },
      afterChunk: () => publisher.afterChunk(),
    };
  }
}

const tooLong = () => loadFailure('timeout', 'The broker did not acknowledge a message.');
