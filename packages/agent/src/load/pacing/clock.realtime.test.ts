import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { hrtimeUs, MonotonicClock } from './clock.ts';

/** Difference to CLOCK_MONOTONIC, µs: the tightest of many brackets, so that a busy machine does not matter. */
function differenceUs(clock: MonotonicClock): number {
  let best = { widthUs: Number.POSITIVE_INFINITY, differenceUs: Number.NaN };
  for (let i = 0; i < 2_000; i += 1) {
    const before = hrtimeUs();
    const reading = clock.nowUs();
    const after = hrtimeUs();
    const widthUs = after - before;
    if (widthUs < best.widthUs) best = { widthUs, differenceUs: reading - (before + after) / 2 };
  }
  return best.differenceUs;
}

it('agrees with CLOCK_MONOTONIC within 1 µs and stays there', async () => {
  const clock = new MonotonicClock().calibrate();
  expect(Math.abs(differenceUs(clock))).toBeLessThan(1);
  await wait(1_500);
  expect(Math.abs(differenceUs(clock))).toBeLessThan(1);
});
