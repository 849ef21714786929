import { expect, test } from 'vitest';
import { answerClock, callAt, systemClock } from './clock.ts';

test('the clock is the monotonic clock of the kernel, in µs', () => {
  const kernelUs = Number(process.hrtime.bigint()) / 1e3;
  expect(Math.abs(systemClock.nowUs() - kernelUs)).toBeLessThan(5_000);
});

test('an answer carries the question’s time, when it came and when it went', () => {
  const clock = { nowUs: () => 900, unixMs: () => 0 };
  expect(answerClock({ type: 'clock', id: 3, t0Us: 5 }, 800, clock)).toEqual({
    type: 'clock',
    id: 3,
    t0Us: 5,
    t1Us: 800,
    t2Us: 900,
  });
});

test('a call at an instant comes not before it, and can be cancelled', async () => {
  const dueUs = systemClock.nowUs() + 30_000;
  const cancelled: string[] = [];
  callAt(systemClock, dueUs, () => cancelled.push('called'))();
  const calledUs = await new Promise<number>((resolve) => {
    callAt(systemClock, dueUs, () => resolve(systemClock.nowUs()));
  });
  expect(calledUs - dueUs).toBeGreaterThan(-1_000);
  expect(cancelled).toEqual([]);
});
