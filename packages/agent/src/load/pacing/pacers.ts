import { Worker } from 'node:worker_threads';
import type { MicrosecondClock } from './clock.ts';
import type { Schedule } from './schedule.ts';
import type { Instants } from './timeline.ts';

/** The load that a pacer wakes. Times are in µs on the local clock. */
export interface Paced {
  /** Does everything that is due; returns the next due instant, or Infinity at the end. */
  turn(nowUs: number): number;
  /** True if messages wait for an acknowledgement or the socket, so that arrivals must be read soon. */
  readonly waiting: boolean;
}

export interface PacerOptions {
  paced: Paced;
  clock: MicrosecondClock;
}

export interface Pacer {
  /** Idempotent, as `stop`. */
  start(): void;
  stop(): void;
  /** Call this if a message may be due sooner than the last turn returned. */
  nudge(): void;
}

/** Share of wake-ups that may come before the due instant; the pacer spins for the remaining time. */
const earlyShare = 0.2;
const stepUs = 1;
const maxUs = 120;

/**
 * Estimates how late this machine wakes a thread (mostly the exit from an idle state, 30 to 80 µs), so that
 * the pacer can request an earlier wake-up. Follows a low quantile of its input (stochastic approximation,
 * Robbins and Monro 1951), so that early wake-ups, which require spinning, are rare.
 */
export class WakeLead {
  #us = 0;

  /** Returns how much earlier to request the wake-up, in µs. */
  get us(): number {
    return this.#us;
  }

  /** Records the delay between the requested instant and the wake-up. */
  learn(lateUs: number): void {
    const change = lateUs > this.#us ? stepUs * earlyShare : -stepUs * (1 - earlyShare);
    this.#us = Math.min(maxUs, Math.max(0, this.#us + change));
  }
}

/** The event loop's timers count in ms, so the pacer sleeps on a futex for the remaining time. */
const coarseUs = 2_500;
/** Maximum time without polling the sockets for which messages wait. */
const sliceUs = 200;
/** Within this time before a message is due, the pacer spins, because any other wait would take longer. */
const spinUs = 15;

/**
 * Sleeps in the sending thread until a message is due, because `Atomics.wait` wakes within about 50 µs and an
 * event loop timer within 1,000 µs. Then writes and lets the event loop run once, regardless of the rate.
 * With TLS, a write is complete only after that, and plain and encrypted load must differ only in the
 * encryption. Arrivals are handled after the next message: this is correct for QoS 0 and 1, at which no
 * message is sent earlier because of an arrival.
 */
export class BlockingPacer implements Pacer {
  readonly #options: PacerOptions;
  readonly #cell = new Int32Array(new SharedArrayBuffer(4));
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #running = false;
  readonly #lead = new WakeLead();
  #napped = true;
  readonly #step = (): void => this.#run();

  constructor(options: PacerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#run();
  }

  stop(): void {
    this.#running = false;
    this.#cancel();
  }

  nudge(): void {
    if (!this.#running || this.#timer === null) return;
    this.#cancel();
    this.#run();
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
  }

  #run(): void {
    const { paced, clock } = this.#options;
    this.#timer = null;
    this.#immediate = null;
    const nextUs = paced.turn(clock.nowUs());
    if (!this.#running || nextUs === Number.POSITIVE_INFINITY) return;
    const waitUs = nextUs - clock.nowUs();
    if (waitUs > coarseUs) {
      this.#timer = setTimeout(this.#step, Math.floor(waitUs / 1000) - 1);
      return;
    }
    if (waitUs > 0 && this.#mayBlock(waitUs)) {
      this.#sleepUntil(nextUs);
      paced.turn(clock.nowUs());
    }
    if (this.#running) this.#immediate = setImmediate(this.#step);
  }

  /**
   * Returns true if the thread can sleep. While something waits for the event loop, the loop runs first, then
   * alternates with naps.
   */
  #mayBlock(waitUs: number): boolean {
    if (!this.#options.paced.waiting) {
      this.#napped = true;
      return true;
    }
    this.#napped = !this.#napped;
    if (this.#napped) Atomics.wait(this.#cell, 0, 0, Math.min(waitUs, sliceUs) / 1000);
    return false;
  }

  #sleepUntil(dueUs: number): void {
    const { clock } = this.#options;
    const askedUs = dueUs - this.#lead.us;
    const waitUs = dueUs - clock.nowUs();
    const sleepUs = waitUs - this.#lead.us;
    if (sleepUs > 0) {
      Atomics.wait(this.#cell, 0, 0, sleepUs / 1000);
      this.#lead.learn(clock.nowUs() - askedUs);
    } else if (waitUs > spinUs) {
      // Too close to wake up in time, too far to spin: about 50 µs late is the best possible.
      Atomics.wait(this.#cell, 0, 0, waitUs / 1000);
    }
    // The thread was woken early, by a few µs, which is rare.
    while (clock.nowUs() < dueUs);
  }
}

/**
 * The pacer thread, as text so that it also starts from a bundled file (`new Worker(source, { eval: true
 * })`). Sleeps until `leadUs` before the next instant of a schedule and posts one message, unless the
 * previous one is still unread. Cell 0 stops the thread; cell 1 is set while a message is unread.
 */
const pacerThreadSource = `
const { workerData, parentPort } = require('node:worker_threads');
const { startUs, periodUs, bursts, stopAtUs, instantsUs, leadUs, cells } = workerData;
const shared = new Int32Array(cells);
let originUs = 0;
let tightestMs = Infinity;
// As MonotonicClock: the first calls are slow, the tightest bracket counts.
for (let attempt = 0; attempt < 32; attempt += 1) {
  const beforeMs = performance.now();
  const [seconds, nanoseconds] = process.hrtime();
  const afterMs = performance.now();
  if (afterMs - beforeMs >= tightestMs) continue;
  tightestMs = afterMs - beforeMs;
  originUs = seconds * 1e6 + nanoseconds / 1e3 - (beforeMs + afterMs) * 500;
}
const nowUs = () => performance.now() * 1000 + originUs;
// As dueUsOf of a single publisher.
const dueUsAt = (k) => {
  if (bursts === undefined) return startUs + k * periodUs;
  const burst = Math.floor(k / bursts.messages);
  return startUs + burst * bursts.cycleUs + (k - burst * bursts.messages) * periodUs;
};
let k = 0;
for (;;) {
  const dueUs = dueUsAt(k);
  const nextUs = Math.min(dueUs < stopAtUs ? dueUs : Infinity, instantsUs[0] ?? Infinity);
  if (nextUs === Infinity) break;
  const wakeUs = nextUs - leadUs;
  for (let left = wakeUs - nowUs(); left > 0; left = wakeUs - nowUs()) {
    if (Atomics.wait(shared, 0, 0, left / 1000) === 'not-equal') break;
  }
  if (Atomics.load(shared, 0) === 1) break;
  const reachedUs = Math.max(nowUs(), wakeUs) + leadUs;
  while (instantsUs.length > 0 && instantsUs[0] <= reachedUs) instantsUs.shift();
  if (dueUs <= reachedUs && bursts === undefined) k = Math.max(k + 1, Math.floor((reachedUs - startUs) / periodUs) + 1);
  else while (dueUsAt(k) <= reachedUs) k += 1;
  if (Atomics.exchange(shared, 1, 1) === 0) parentPort.postMessage(0);
}
`;

export interface ThreadPacerOptions extends PacerOptions {
  /** The combined schedule of all publishers. */
  schedule: Schedule;
  instants: Instants;
}

/**
 * The approximate time to wake this thread from the other thread. This thread sleeps for the remaining time,
 * to the microsecond.
 */
const leadUs = 100;
/** A call earlier than this counts as the call for the next instant; the two clocks agree within 1 µs. */
const toleranceUs = 10;
const stopCell = 0;
const wokenCell = 1;

/**
 * Sleeps in a separate thread, so that the event loop handles arrivals immediately. QoS 2 needs it, because a
 * message is delivered only after its PUBREC was answered. The second thread costs CPU time, and on a busy
 * machine its call arrives later than the wake-up in BlockingPacer.
 */
export class ThreadPacer implements Pacer {
  readonly #options: ThreadPacerOptions;
  readonly #cells = new Int32Array(new SharedArrayBuffer(8));
  #thread: Worker | null = null;
  #stopped = false;

  constructor(options: ThreadPacerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#thread !== null || this.#stopped) return;
    const { schedule, instants } = this.#options;
    const { startUs, periodUs, bursts } = schedule;
    const { warmUpAtUs, measureAtUs, stopAtUs } = instants;
    const instantsUs = [warmUpAtUs, measureAtUs, stopAtUs];
    const workerData = { startUs, periodUs, bursts, stopAtUs, instantsUs, leadUs, cells: this.#cells.buffer };
    this.#thread = new Worker(pacerThreadSource, { eval: true, workerData });
    this.#thread.on('message', () => this.#wake());
  }

  stop(): void {
    this.#stopped = true;
    Atomics.store(this.#cells, stopCell, 1);
    Atomics.notify(this.#cells, stopCell);
    this.#thread?.unref();
  }

  /** Does nothing, because the thread calls periodically. */
  nudge(): void {}

  #wake(): void {
    if (this.#stopped) return;
    const { paced, clock } = this.#options;
    Atomics.store(this.#cells, wokenCell, 0);
    for (;;) {
      const nextUs = paced.turn(clock.nowUs());
      const waitUs = nextUs - clock.nowUs();
      if (this.#stopped || waitUs > leadUs + toleranceUs) return;
      // Cell 0 contains 0 until `stop`.
      if (waitUs > 0) Atomics.wait(this.#cells, stopCell, 0, waitUs / 1000);
    }
  }
}

const longestUs = 2_000;
const shortestUs = 10;

/**
 * Calculates how long to ignore acknowledgements if messages are sent as fast as the window allows. Waking
 * for each acknowledgement costs several times as much as the message itself, so the sender rests until about
 * a third of its window is acknowledged. The broker never becomes idle: if more than half of the window was
 * acknowledged, the next rest is half as long.
 */
export class AcknowledgementBackoff {
  #us = 0;

  /**
   * Returns the next rest in µs, given the acknowledgements since the last rest and the messages in flight
   * when it began.
   */
  next(came: number, inFlight: number): number {
    const share = inFlight === 0 ? 1 : came / inFlight;
    if (share > 1 / 2) this.#us = this.#us < shortestUs ? 0 : this.#us / 2;
    else if (share < 1 / 4) this.#us = Math.min(longestUs, this.#us * 1.25 + shortestUs);
    return this.#us;
  }
}
