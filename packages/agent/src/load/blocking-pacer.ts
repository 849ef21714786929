import type { Pacer, PacerOptions } from './pacer.ts';

/** The event loop's timers count in ms; the rest of the way is slept on a futex. */
const coarseUs = 2_500;
/** At high rates the event loop looks at its sockets only so often, not after every message. */
const loopEveryUs = 1_000;
/** How long the event loop may be kept from looking at sockets that messages wait for. */
const sliceUs = 200;

/**
 * Sleeps in the sending thread itself until a message is due (`Atomics.wait` wakes within some 50 µs, an event
 * loop timer within 1,000), then writes, then lets the event loop run once. What arrives meanwhile is handled
 * after the next message: right for QoS 0 and 1, where no message goes sooner because of it.
 */
export class BlockingPacer implements Pacer {
  readonly #options: PacerOptions;
  readonly #cell = new Int32Array(new SharedArrayBuffer(4));
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #running = false;
  #loopedUs = 0;
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
    if (!this.#running) return;
    const nextUs = paced.turn(clock.nowUs());
    if (!this.#running || nextUs === Number.POSITIVE_INFINITY) return;
    const waitUs = nextUs - clock.nowUs();
    if (waitUs > coarseUs) {
      this.#timer = setTimeout(this.#step, Math.floor(waitUs / 1000) - 1);
      return;
    }
    if (waitUs > 0) {
      Atomics.wait(this.#cell, 0, 0, (paced.waiting ? Math.min(waitUs, sliceUs) : waitUs) / 1000);
      paced.turn(clock.nowUs());
    }
    if (this.#running) this.#again(nextUs);
  }

  /** The callbacks of what was just written run in either case before the next step. */
  #again(nowUs: number): void {
    if (!this.#options.paced.waiting && nowUs - this.#loopedUs < loopEveryUs) {
      process.nextTick(this.#step);
      return;
    }
    this.#loopedUs = nowUs;
    this.#immediate = setImmediate(this.#step);
  }
}
