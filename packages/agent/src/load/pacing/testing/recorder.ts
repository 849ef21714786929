import { MonotonicClock } from '../clock.ts';
import { BlockingPacer, type Paced, type Pacer, type PacerOptions, ThreadPacer } from '../pacers.ts';
import { dueUsOf, type Schedule } from '../schedule.ts';

/** Messages of a schedule. */
export const messages = 60;

/** Records how late each message of a schedule was sent. */
export class Recorder implements Paced {
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

export type MakePacer = (options: PacerOptions, schedule: Schedule) => Pacer;

export const pacers: Readonly<Record<string, MakePacer>> = {
  BlockingPacer: (options) => new BlockingPacer(options),
  ThreadPacer: (options, schedule) => {
    const stopAtUs = dueUsOf(schedule, 0, messages);
    const instants = { warmUpAtUs: schedule.startUs, measureAtUs: schedule.startUs, stopAtUs };
    return new ThreadPacer({ ...options, schedule, instants });
  },
};

/** Sends every message of a schedule. */
export async function sendAll(makePacer: MakePacer, periodUs: number, waiting = false): Promise<Recorder> {
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
