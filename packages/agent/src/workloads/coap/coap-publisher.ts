import type { Socket } from 'node:dgram';
import type { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import type { Agent, OutgoingMessage } from 'coap';
import type { MicrosecondClock } from '../../pacing/monotonic.ts';
import { dueCount, dueUsOf } from '../../pacing/schedule.ts';
import { makeStamp, writeStamp } from '../../payload/stamp.ts';
import type { ArrivalWindow } from '../counting/arrival-window.ts';
import type { SentWindow } from '../counting/sent-window.ts';
import type { SendingPlan } from '../publisher.ts';

/** What all publishers of a worker add up in; messages of the measure phase unless told otherwise. */
export interface CoapTotals {
  sent: number;
  /** Warm-up included. */
  all: number;
  answered: number;
  late: number;
  /** Confirmable messages that were sent again, warm-up included. */
  retransmitted: number;
  wire: { sent: number; received: number };
  /** Of the measure phase: requests, and answers to any of them that came meanwhile. */
  readonly requests: SentWindow;
  readonly answers: ArrivalWindow;
  readonly lateness: LatencyHistogram;
  readonly exchange: LatencyHistogram;
  /** Emptied every second, for the live page. */
  readonly recent: LatencyHistogram;
}

export interface CoapPublisherOptions {
  agent: Agent;
  socket: Socket;
  server: { address: string; port: number };
  confirmable: boolean;
  /** On this device, and among all publishers of the Run. */
  index: number;
  number: number;
  runTag: number;
  /** Testbed µs minus local µs. */
  offsetUs: number;
  lateAfterUs: number;
  clock: MicrosecondClock;
  payload: Buffer;
  stamped: boolean;
  totals: CoapTotals;
  /** An exchange is over. */
  onFree: () => void;
}

/** The least that a sender of confirmable messages waits before it sends again (RFC 7252 section 4.8), as patience. */
const nonConfirmableTimeoutMs = 2_000;
/** An empty acknowledgement (RFC 7252 section 3): the library writes it past its own senders. */
const emptyAckBytes = 4;

/** The requests of one client, from their due time to the response. Times are local µs. */
export class CoapPublisher {
  readonly #options: CoapPublisherOptions;
  readonly #stamp = makeStamp();
  readonly #underWay = new Map<OutgoingMessage, NodeJS.Timeout | null>();
  #plan: SendingPlan = { schedule: null, firstMeasured: 0, end: 0, window: 1 };
  #next = 0;

  constructor(options: CoapPublisherOptions) {
    this.#options = options;
    this.#stamp.runTag = options.runTag;
    this.#stamp.publisher = options.number;
    const { wire } = options.totals;
    options.socket.on('message', (message) => {
      wire.received += message.length;
      const isConfirmable = ((message[0] ?? 0) & 0x30) === 0;
      if (isConfirmable) wire.sent += emptyAckBytes;
    });
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

  /** Resolves once the server has answered a confirmable request; rejects when it never does. */
  reach(): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = this.#request(true);
      const fail = (error: Error): void => {
        this.#giveUp(request);
        reject(error);
      };
      request.on('error', fail);
      request.on('timeout', fail);
      request.on('response', () => {
        this.#finish(request);
        resolve();
      });
      this.#underWay.set(request, null);
      request.end();
    });
  }

  /** As fast as possible, until closed. */
  openUnpaced(window: number): void {
    const never = Number.MAX_SAFE_INTEGER;
    this.open({ schedule: null, firstMeasured: never, end: never, window });
  }

  /** From the next message on, messages are measured: so many, or without end. */
  measureFromNow(messages: number | null): void {
    const end = messages === null ? this.#plan.end : this.#next + messages;
    this.#plan = { ...this.#plan, firstMeasured: this.#next, end };
  }

  /** Sends everything that is due and that the window has room for. */
  pump(nowUs: number): void {
    const { index, clock } = this.#options;
    const { schedule, end, window } = this.#plan;
    let atUs = nowUs;
    const due = () => (schedule === null ? end : Math.min(end, dueCount(schedule, index, atUs)));
    while (this.#next < due() && this.inFlight < window) {
      this.#send(atUs);
      atUs = clock.nowUs();
    }
  }

  /** Sends nothing any more; returns how many measured messages were due but never sent. */
  close(): number {
    const { schedule, end, firstMeasured } = this.#plan;
    const unsent = schedule === null ? 0 : end - Math.max(this.#next, firstMeasured);
    this.#plan = { ...this.#plan, end: 0 };
    return Math.max(0, unsent);
  }

  /** Gives up what is still under way: it stays without an answer. */
  abandon(): void {
    for (const request of [...this.#underWay.keys()]) this.#giveUp(request);
  }

  #send(nowUs: number): void {
    const { confirmable, totals, clock, payload } = this.#options;
    const k = this.#next;
    this.#next = k + 1;
    const measured = k >= this.#plan.firstMeasured;
    const dueUs = this.#intendedUs(k, { nowUs, measured });
    totals.all += 1;
    totals.requests.add(1, nowUs);
    if (measured) totals.sent += 1;
    const request = this.#request(confirmable);
    request.on('error', () => this.#giveUp(request));
    request.on('timeout', () => this.#giveUp(request));
    request.on('response', () => {
      if (!this.#finish(request)) return;
      const answeredUs = clock.nowUs();
      totals.answers.add(answeredUs, payload.length, measured);
      if (measured) {
        const tookUs = answeredUs - dueUs;
        totals.answered += 1;
        totals.exchange.record(tookUs);
        totals.recent.record(tookUs);
      }
      this.#options.onFree();
    });
    const timer = confirmable ? null : setTimeout(() => this.#giveUp(request), nonConfirmableTimeoutMs);
    this.#underWay.set(request, timer);
    request.end(this.#makePayload({ measured, sequence: k, dueUs }));
  }

  /** One that counts what it puts on the wire. */
  #request(confirmable: boolean): OutgoingMessage {
    const { agent, server, totals } = this.#options;
    const request = agent.request({
      hostname: server.address,
      port: server.port,
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

  /** The due time, with how late it is; "as fast as possible" everything is due now. */
  #intendedUs(k: number, { nowUs, measured }: { nowUs: number; measured: boolean }): number {
    const { index, totals, lateAfterUs } = this.#options;
    const { schedule } = this.#plan;
    if (schedule === null) return nowUs;
    const dueUs = dueUsOf(schedule, index, k);
    if (measured) {
      totals.lateness.record(nowUs - dueUs);
      if (nowUs - dueUs > lateAfterUs) totals.late += 1;
    }
    return dueUs;
  }

  #makePayload({
    measured,
    sequence,
    dueUs,
  }: {
    measured: boolean;
    sequence: number;
    dueUs: number;
  }): Buffer {
    const { payload, stamped, offsetUs } = this.#options;
    const bytes = Buffer.from(payload);
    if (stamped) {
      const stamp = this.#stamp;
      stamp.measured = measured;
      stamp.sequence = sequence;
      stamp.intendedUs = dueUs + offsetUs;
      writeStamp(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, stamp);
    }
    return bytes;
  }

  /** Whether it was still under way. */
  #finish(request: OutgoingMessage): boolean {
    const timer = this.#underWay.get(request);
    if (timer) clearTimeout(timer);
    return this.#underWay.delete(request);
  }

  #giveUp(request: OutgoingMessage): void {
    if (!this.#finish(request)) return;
    this.#options.agent.abort(request);
    this.#options.onFree();
  }
}
