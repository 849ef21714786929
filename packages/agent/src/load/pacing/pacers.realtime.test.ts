import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MonotonicClock } from './clock.ts';
import { messages, pacers, Recorder, sendAll } from './testing/recorder.ts';

describe.each(Object.entries(pacers))('%s', (_name, makePacer) => {
  it('lets the event loop run while it waits', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    await sendAll(makePacer, 2_000, true);
    clearImmediate(immediate);
    // 120 ms in slices of at most 0.2 ms, compared with one turn per message.
    expect(turns).toBeGreaterThan(3 * messages);
  });

  it('does nothing after stop', async () => {
    const clock = new MonotonicClock().calibrate();
    const schedule = { startUs: clock.nowUs() + 30_000, periodUs: 1_000, publishers: 1 };
    const paced = new Recorder(schedule);
    const pacer = makePacer({ paced, clock }, schedule);
    pacer.start();
    pacer.stop();
    await wait(80);
    expect(paced.lateUs).toEqual([]);
  });
});
