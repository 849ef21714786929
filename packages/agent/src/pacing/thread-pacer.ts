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

/** About what waking this thread from the other one takes; the rest is slept here, to the microsecond. */
const leadUs = 100;
/** A call that comes earlier than that is taken for the next one's; the two clocks agree within 1 µs. */
const toleranceUs = 10;
const stopCell = 0;
const wokenCell = 1;

/**
 * Sleeps in a thread of its own, so that the event loop handles what arrives at once: needed at QoS 2, where a
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
      // Cell 0 is 0 as long as nobody stops.
      if (waitUs > 0) Atomics.wait(this.#cells, stopCell, 0, waitUs / 1000);
    }
  }
}
