import { expect, it } from 'vitest';
import { WakeLead } from './wake-lead.ts';

/** The same pseudo-random numbers in [0, 1) every time (Park and Miller 1988). */
function* uniform(): Generator<number, never> {
  let state = 1;
  for (;;) {
    state = (state * 48_271) % 0x7fffffff;
    yield state / 0x7fffffff;
  }
}

function learned(lateness: (random: number) => number): number {
  const lead = new WakeLead();
  const randoms = uniform();
  for (let i = 0; i < 5_000; i += 1) lead.learn(lateness(randoms.next().value));
  return lead.us;
}

it('settles where one waking in five would come early', () => {
  const us = learned((random) => 40 + 50 * random);
  expect(us).toBeGreaterThan(44);
  expect(us).toBeLessThan(56);
});

it('is not led astray by the odd waking that comes very late', () => {
  const us = learned((random) => (random < 0.1 ? 5_000 : 50 + 20 * random));
  expect(us).toBeGreaterThan(48);
  expect(us).toBeLessThan(60);
});

it('stays within its bounds', () => {
  expect(learned(() => 10_000)).toBe(120);
  expect(learned(() => 0)).toBe(0);
});
