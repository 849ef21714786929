import type { Pacer, PacerOptions } from './pacer.ts';
import { WakeLead } from './wake-lead.ts';

/** The event loop's timers count in ms; the rest of the way is slept on a futex. */
const coarseUs = 2_500;
/** How long the event loop may be kept from looking at sockets that messages wait for. */
const sliceUs = 200;
/** So near to its due time a message is waited for in a loop: anything else would take longer. */
const spinUs = 15;

/**
 * Sleeps in the sending thread itself until a message is due (`Atomics.wait` wakes within some 50 µs, an event
 * loop timer within 1,000), then writes, then lets the event loop run once, whatever the rate: under TLS a write is
 * only over when it did, and plain and encrypted load must cost the same but for the encryption. What arrives meanwhile is handled
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
