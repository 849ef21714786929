import { poll } from '@mqttlab/shared/kit/poll';
import type { Drained } from '@mqttlab/shared/messages/agent';
import { drainPollMs } from './pacing/drain.ts';
import {
  AcknowledgementBackoff,
  BlockingPacer,
  type Paced,
  type Pacer,
  ThreadPacer,
} from './pacing/pacers.ts';
import { dueCount, dueUsOf, joinPublishers, makeSchedule, type Schedule } from './pacing/schedule.ts';
import { type Instants, type LoadPhase, Timeline } from './pacing/timeline.ts';
import { makeSending, type PacedPublisher, type Publisher, planSending, type Sending } from './publisher.ts';
import type { Carrier, LoadFigures, RoleLoad, RoleLoadOptions } from './role-load.ts';
import type { LoadSnapshot } from './worker-messages.ts';

/** Two calculations of the same due time differ by less than this. */
const roundingUs = 0.01;

/** Open-loop load from all publishers in this worker, with any protocol. */
export class PacedLoad<Made extends PacedPublisher> implements Omit<RoleLoad, 'attach'>, Paced {
  readonly #options: RoleLoadOptions;
  readonly #sending: Sending<Made>;
  readonly #publishers: Made[] = [];
  readonly #carriers: Carrier[] = [];
  readonly #totals: Sending['totals'];
  #timeline: Timeline | null = null;
  /** Combined schedule of all publishers; null if messages are sent as fast as possible. */
  #schedule: Schedule | null = null;
  #turned = 0;
  #pacer: Pacer | null = null;
  #unsent = 0;
  readonly #backoff = new AcknowledgementBackoff();
  readonly #before = { replies: 0, inFlight: 0 };
  readonly #cell = new Int32Array(new SharedArrayBuffer(4));
  #measuring = false;
  #stopped = false;
  readonly #ended = Promise.withResolvers<void>();
  #resuming: NodeJS.Immediate | null = null;
  #ending: NodeJS.Immediate | null = null;
  readonly #resume = (): void => this.#resumeBlocked();

  constructor(options: RoleLoadOptions, sending: Sending<Made>) {
    this.#options = options;
    this.#sending = sending;
    this.#totals = sending.totals;
  }

  attach(carrier: Carrier, index: number): Made {
    const publisher = this.#sending.makePublisher({
      index,
      to: carrier.writer,
      onFree: () => {
        this.#resuming ??= setImmediate(this.#resume);
      },
    });
    this.#publishers[index] = publisher;
    this.#carriers[index] = carrier;
    return publisher;
  }

  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void {
    if (this.#timeline !== null || this.#stopped) return;
    const { command } = this.#options;
    this.#totals.window.open(instants);
    this.#timeline = new Timeline(instants, (phase) => this.#enter(phase, onEnter));
    const schedule = makeSchedule(command.spec, instants.warmUpAtUs, command.share);
    if (schedule !== null) this.#plan(instants, schedule);
    this.#pacer = this.#makePacer(instants);
    this.#pacer.start();
  }

  get waiting(): boolean {
    return this.#totals.unwritten > 0 || this.#publishers.some(({ blocked }) => blocked);
  }

  turn(nowUs: number): number {
    const boundaryUs = this.#timeline?.advance(nowUs) ?? Number.POSITIVE_INFINITY;
    const schedule = this.#schedule;
    if (this.#stopped) return Number.POSITIVE_INFINITY;
    if (schedule === null) {
      for (const publisher of this.#publishers) if (!publisher.blocked) publisher.pump(nowUs);
      this.#endWhenCounted();
      return boundaryUs;
    }
    const due = dueCount(schedule, 0, nowUs - roundingUs);
    const { length } = this.#publishers;
    const visits = Math.min(due - this.#turned, length);
    for (let i = 0; i < visits; i += 1) this.#publishers[(this.#turned + i) % length]?.pump(nowUs);
    this.#turned = Math.max(this.#turned, due);
    this.#endWhenCounted();
    if (this.#allBlocked()) return boundaryUs;
    return Math.min(boundaryUs, dueUsOf(schedule, 0, this.#turned) + roundingUs);
  }

  lose(index: number): void {
    this.#unsent += this.#publishers[index]?.close() ?? 0;
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#pacer?.stop();
    if (this.#resuming !== null) clearImmediate(this.#resuming);
    if (this.#ending !== null) clearImmediate(this.#ending);
    for (const publisher of this.#publishers) this.#unsent += publisher.close();
    this.#ended.resolve();
  }

  /** Ends the load early; no more messages follow. */
  endNow(): void {
    this.#timeline?.advance(Number.POSITIVE_INFINITY);
  }

  async drain(): Promise<Drained> {
    const { spec } = this.#options.command;
    await this.#ended.promise;
    const isDone = () =>
      this.#totals.unwritten === 0 && this.#publishers.every(({ inFlight }) => inFlight === 0);
    const timing = { everyMs: drainPollMs, timeoutMs: spec.drainTimeoutMs };
    const timedOut = !(await poll(isDone, timing));
    return { messages: this.#totals.sent - this.#sending.altered(), timedOut };
  }

  snapshot(): LoadSnapshot {
    const { sent, all, late } = this.#totals;
    return { messages: sent, all, late, latencyMs: null };
  }

  figures(): LoadFigures {
    return this.#sending.figures(this.#unsent);
  }

  #plan(instants: Instants, own: Schedule): void {
    this.#schedule = joinPublishers(own);
    const { messages } = this.#options.command.spec;
    for (const [index, publisher] of this.#publishers.entries()) {
      publisher.open(planSending(own, { index, instants, messages, window: this.#windowOf(index) }));
    }
  }

  /** Returns the trial's window, or less if the broker allows less (MQTT 5 section 3.3.4). */
  #windowOf(index: number): number {
    const receiveMaximum = this.#carriers[index]?.grant?.receiveMaximum ?? 65_535;
    return Math.min(this.#options.command.spec.window, receiveMaximum);
  }

  #makePacer(instants: Instants): Pacer {
    const { clock } = this.#options;
    const schedule = this.#schedule;
    if (schedule === null || !this.#sending.ownThread) return new BlockingPacer({ paced: this, clock });
    return new ThreadPacer({ paced: this, clock, schedule, instants });
  }

  #enter(phase: LoadPhase, onEnter: (phase: LoadPhase) => void): void {
    const nowUs = this.#options.clock.nowUs();
    const paced = this.#schedule !== null;
    if (phase === 'measure') this.#measuring = true;
    if (phase === 'drain') this.#end(nowUs, paced);
    this.#totals.window.enter(phase, nowUs);
    onEnter(phase);
    if (paced) return;
    for (const [index, publisher] of this.#publishers.entries()) {
      if (phase === 'warm-up') publisher.openUnpaced(this.#windowOf(index));
      if (phase === 'measure') publisher.measureFromNow(this.#options.command.spec.messages);
    }
  }

  /** Sends every message that was due before the end and has room; the others count as unsent. */
  #end(nowUs: number, paced: boolean): void {
    if (paced) for (const publisher of this.#publishers) publisher.pumpLast(nowUs);
    if (!paced || !this.#publishers.some(({ waitsForWrite }) => waitsForWrite)) {
      this.stop();
      return;
    }
    this.#pacer?.stop();
    // If this process was suspended, only the event loop can report that the last write was accepted.
    this.#ending = setImmediate(() => {
      for (const publisher of this.#publishers) publisher.pumpLast(nowUs);
      this.stop();
    });
  }

  #resumeBlocked(): void {
    this.#resuming = null;
    const nowUs = this.#options.clock.nowUs();
    for (const publisher of this.#publishers) if (publisher.blocked) publisher.pump(nowUs);
    this.#endWhenCounted();
    if (!this.#allBlocked()) this.#pacer?.nudge();
    if (this.#schedule === null && this.#sending.backsOff) this.#backOff();
  }

  /**
   * Ends a load with a message count after its last message. The warm-up does not end early, even if nothing
   * is due.
   */
  #endWhenCounted(): void {
    const counts = this.#options.command.spec.messages !== null && this.#measuring && !this.#stopped;
    if (counts && this.#publishers.length > 0 && this.#publishers.every(({ finished }) => finished)) {
      this.endNow();
    }
  }

  #backOff(): void {
    const { replies } = this.#totals;
    const pauseUs = this.#backoff.next(replies - this.#before.replies, this.#before.inFlight);
    this.#before.replies = replies;
    this.#before.inFlight = 0;
    for (const publisher of this.#publishers) this.#before.inFlight += publisher.inFlight;
    if (pauseUs > 0) Atomics.wait(this.#cell, 0, 0, pauseUs / 1000);
  }

  #allBlocked(): boolean {
    return this.#publishers.every((publisher) => publisher.blocked);
  }
}

/** Length of each MQTT message. */
export class PublisherLoad extends PacedLoad<Publisher> implements RoleLoad {
  constructor(options: RoleLoadOptions) {
    super(options, makeSending(options));
  }
}
