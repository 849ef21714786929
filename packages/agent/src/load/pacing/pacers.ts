import { Worker } from 'node:worker_threads';
import type { MicrosecondClock } from './clock.ts';
import type { Schedule } from './schedule.ts';
import type { Instants } from './timeline.ts';

/** What a pacer wakes. Times are local µs. */
export interface Paced {
  /** Does everything that is due; returns the next instant at which something is due, Infinity when all is over. */
  turn(nowUs: number): number;
  /** Whether messages wait for an acknowledgement or the socket, so that what arrives must be seen soon. */
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
  /** Something may be due sooner than the last turn said. */
  nudge(): void;
}

/** Of so many wakings, this share may come before the wanted instant; the rest of the way is then spun. */
const earlyShare = 0.2;
const stepUs = 1;
const maxUs = 120;

/**
 * Learns how late this machine wakes a thread (mostly the way out of an idle state, 30 to 80 µs) so that the
 * pacer can ask to be woken that much sooner. Follows a low quantile of its input (stochastic
 * approximation, Robbins and Monro 1951), so that waking early, which costs spinning, stays the exception.
 */
export class WakeLead {
  #us = 0;

  /** How much sooner to ask, µs. */
  get us(): number {
    return this.#us;
  }

  /** A waking came so long after the instant that was asked for. */
  learn(lateUs: number): void {
    const change = lateUs > this.#us ? stepUs * earlyShare : -stepUs * (1 - earlyShare);
    this.#us = Math.min(maxUs, Math.max(0, this.#us + change));
  }
}

/** The event loop's timers count in ms; the rest of the way is slept on a futex. */
const coarseUs = 2_500;
/** How long the event loop may be kept from looking at sockets that messages wait for. */
const sliceUs = 200;
/** So near to its due time a message is waited for in a loop: anything else would take longer. */
const spinUs = 15;

/**
 * Sleeps in the sending thread itself until a message is due (`Atomics.wait` wakes within some 50 µs, an event
 * loop timer within 1,000), then writes, then lets the event loop run once, whatever the rate: under TLS a write is
 * only over when it did, and plain and encrypted load must cost the same except for the encryption. What arrives meanwhile is handled
 * after the next message: right for QoS 0 and 1, where no message goes sooner because of it.
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

  /** While something waits for the event loop, that goes first, then naps alternate with it. */
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
      // Too near to wake in time, too far to spin: some 50 µs late is what is left.
      Atomics.wait(this.#cell, 0, 0, waitUs / 1000);
    }
    // Woken early after all: a few µs, seldom.
    while (clock.nowUs() < dueUs);
  }
}

/**
 * The pacer thread, as text so that it starts from a bundle of one file too (`new Worker(source, { eval: true })`).
 * Sleeps until `leadUs` before the next instant of a schedule and posts one message, unless the last one was not
 * yet looked at. Cell 0 tells it to stop, cell 1 is set while a message waits.
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
  /** Of all publishers together. */
  schedule: Schedule;
  instants: Instants;
}

/** About what waking this thread from the other one takes; the rest is slept here, to the microsecond. */
const leadUs = 100;
/** A call that comes earlier than that is taken for the next one's; the two clocks agree within 1 µs. */
const toleranceUs = 10;
const stopCell = 0;
const wokenCell = 1;

/**
 * Sleeps in a separate thread, so that the event loop handles what arrives at once: needed at QoS 2, where a
 * message is only delivered after its PUBREC was answered. The second thread costs CPU time, and on a busy
 * machine its call comes later than BlockingPacer's own waking.
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

  /** The thread comes round by itself. */
  nudge(): void {}

  #wake(): void {
    if (this.#stopped) return;
    const { paced, clock } = this.#options;
    Atomics.store(this.#cells, wokenCell, 0);
    for (;;) {
      const nextUs = paced.turn(clock.nowUs());
      const waitUs = nextUs - clock.nowUs();
      if (this.#stopped || waitUs > leadUs + toleranceUs) return;
      // Cell 0 is 0 until `stop`.
      if (waitUs > 0) Atomics.wait(this.#cells, stopCell, 0, waitUs / 1000);
    }
  }
}

const longestUs = 2_000;
const shortestUs = 10;

/**
 * How long to leave acknowledgements alone when messages go as fast as the window allows. Waking for each one
 * costs several times the message itself; so the sender rests until about a third of its window came back.
 * The broker never runs dry: when more than half came back, the next rest is half as long.
 */
export class AcknowledgementBackoff {
  #us = 0;

  /** Acknowledgements that came since the last rest, and messages in flight when it began. Returns µs. */
  next(came: number, inFlight: number): number {
    const share = inFlight === 0 ? 1 : came / inFlight;
    if (share > 1 / 2) this.#us = this.#us < shortestUs ? 0 : this.#us / 2;
    else if (share < 1 / 4) this.#us = Math.min(longestUs, this.#us * 1.25 + shortestUs);
    return this.#us;
  }
}
