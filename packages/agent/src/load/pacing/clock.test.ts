import { expect, it, test } from 'vitest';
import { answerClock, callAt, MonotonicClock, systemClock } from './clock.ts';

test('the clock is the monotonic clock of the kernel, in µs', () => {
  const kernelUs = () => Number(process.hrtime.bigint()) / 1e3;
  const before = kernelUs();
  const nowUs = systemClock.nowUs();
  // Calibration rounds to a microsecond.
  expect(nowUs).toBeGreaterThan(before - 2);
  expect(nowUs).toBeLessThan(kernelUs() + 2);
});

test('an answer has the time of the request, of its arrival and of the reply', () => {
  const clock = { nowUs: () => 900, unixMs: () => 0 };
  expect(answerClock({ type: 'clock', id: 3, t0Us: 5 }, 800, clock)).toEqual({
    type: 'clock',
    id: 3,
    t0Us: 5,
    t1Us: 800,
    t2Us: 900,
  });
});

test('a call at an instant is not early, and can be cancelled', async () => {
  const dueUs = systemClock.nowUs() + 30_000;
  const cancelled: string[] = [];
  callAt(systemClock, dueUs, () => cancelled.push('called'))();
  const calledUs = await new Promise<number>((resolve) => {
    callAt(systemClock, dueUs, () => resolve(systemClock.nowUs()));
  });
  expect(calledUs - dueUs).toBeGreaterThan(-1_000);
  expect(cancelled).toEqual([]);
});

it('never goes back', () => {
  const clock = new MonotonicClock().calibrate();
  let last = clock.nowUs();
  let steps = 0;
  for (let i = 0; i < 100_000; i += 1) {
    const now = clock.nowUs();
    if (now < last) steps += 1;
    last = now;
  }
  expect(steps).toBe(0);
});
