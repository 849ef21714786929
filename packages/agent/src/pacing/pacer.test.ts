import { describe, expect, it } from 'vitest';
import { BlockingPacer } from './blocking-pacer.ts';
import { MonotonicClock } from './monotonic.ts';
import type { Paced, Pacer, PacerOptions } from './pacer.ts';
import { dueUsOf, type Schedule } from './schedule.ts';
import { ThreadPacer } from './thread-pacer.ts';

const messages = 60;

/** Notes how late each message of a schedule was sent. */
class Recorder implements Paced {
  readonly lateUs: number[] = [];
  readonly ended: Promise<void>;
  readonly #schedule: Schedule;
  #end: () => void = () => {};
  waiting = false;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  turn(nowUs: number): number {
    while (this.lateUs.length < messages) {
      const dueUs = dueUsOf(this.#schedule, 0, this.lateUs.length);
      if (dueUs > nowUs) return dueUs;
      this.lateUs.push(nowUs - dueUs);
    }
    this.#end();
    return Number.POSITIVE_INFINITY;
  }
}

type MakePacer = (options: PacerOptions, schedule: Schedule) => Pacer;

const pacers: Readonly<Record<string, MakePacer>> = {
  BlockingPacer: (options) => new BlockingPacer(options),
  ThreadPacer: (options, schedule) => {
    const stopAtUs = dueUsOf(schedule, 0, messages);
    const instants = { warmUpAtUs: schedule.startUs, measureAtUs: schedule.startUs, stopAtUs };
    return new ThreadPacer({ ...options, schedule, instants });
  },
};

describe.each(Object.entries(pacers))('%s', (_name, makePacer) => {
  async function run(periodUs: number, waiting = false): Promise<Recorder> {
    const clock = new MonotonicClock().calibrate();
    const schedule = { startUs: clock.nowUs() + 100_000, periodUs, publishers: 1 };
    const paced = new Recorder(schedule);
    paced.waiting = waiting;
    const pacer = makePacer({ paced, clock }, schedule);
    pacer.start();
    await paced.ended;
    pacer.stop();
    pacer.stop();
    return paced;
  }

  // How late they are is shown by the benchmark; a busy machine says nothing about the pacer.
  it.each([300, 1_000, 7_000])('sends every message, none early (every %i µs)', async (periodUs) => {
    const { lateUs } = await run(periodUs);
    expect(lateUs).toHaveLength(messages);
    expect(Math.min(...lateUs)).toBeGreaterThanOrEqual(0);
  });

  it('sends every message while sockets must be read often', async () => {
    const { lateUs } = await run(1_000, true);
    expect(lateUs).toHaveLength(messages);
    expect(Math.min(...lateUs)).toBeGreaterThanOrEqual(0);
  });

  it('lets the event loop run while it waits', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    await run(2_000, true);
    clearImmediate(immediate);
    // 120 ms in slices of 0.2 ms at most, against one turn for each message.
    expect(turns).toBeGreaterThan(3 * messages);
  });

  it('does nothing more once stopped', async () => {
    const clock = new MonotonicClock().calibrate();
    const schedule = { startUs: clock.nowUs() + 30_000, periodUs: 1_000, publishers: 1 };
    const paced = new Recorder(schedule);
    const pacer = makePacer({ paced, clock }, schedule);
    pacer.start();
    pacer.stop();
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(paced.lateUs).toEqual([]);
  });
});
