import { Worker } from 'node:worker_threads';
import type { Pacer, PacerOptions } from './pacer.ts';
import { pacerThreadSource } from './pacer-thread-source.ts';
import type { Schedule } from './schedule.ts';
import type { Instants } from './timeline.ts';

export interface ThreadPacerOptions extends PacerOptions {
  /** Of all publishers together. */
  schedule: Schedule;
  instants: Instants;
}

/** Two clocks calibrated apart may disagree by a little; so much is waited for rather than slept. */
const spinUs = 20;
const stopCell = 0;
const wokenCell = 1;

/**
 * Sleeps in a thread of its own, so that the event loop handles what arrives at once: needed at QoS 2, where a
 * message is only delivered after its PUBREC was answered. Wakes later than BlockingPacer by one thread switch.
 */
export class ThreadPacer implements Pacer {
  readonly #options: ThreadPacerOptions;
  readonly #cells = new Int32Array(new SharedArrayBuffer(8));
  #thread: Worker | null = null;

  constructor(options: ThreadPacerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#thread !== null) return;
    const { schedule, instants } = this.#options;
    const { warmUpAtUs, measureAtUs, stopAtUs } = instants;
    const instantsUs = [warmUpAtUs, measureAtUs, stopAtUs];
    const { startUs, periodUs } = schedule;
    const workerData = { startUs, periodUs, stopAtUs, instantsUs, cells: this.#cells.buffer };
    this.#thread = new Worker(pacerThreadSource, { eval: true, workerData });
    this.#thread.on('message', () => this.#wake());
  }

  stop(): void {
    Atomics.store(this.#cells, stopCell, 1);
    Atomics.notify(this.#cells, stopCell);
    this.#thread?.removeAllListeners();
    this.#thread?.unref();
  }

  /** The thread comes round by itself. */
  nudge(): void {}

  #wake(): void {
    const { paced, clock } = this.#options;
    Atomics.store(this.#cells, wokenCell, 0);
    let nextUs = paced.turn(clock.nowUs());
    while (nextUs - clock.nowUs() < spinUs) nextUs = paced.turn(clock.nowUs());
  }
}
