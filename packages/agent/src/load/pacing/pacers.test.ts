import { describe, expect, it } from 'vitest';
import { AcknowledgementBackoff, WakeLead } from './pacers.ts';
import { messages, pacers, sendAll } from './testing/recorder.ts';

describe.each(Object.entries(pacers))('%s', (_name, makePacer) => {
  // The benchmark measures their lateness; on a busy machine it depends on other programs.
  it.each([300, 1_000, 7_000])('sends every message, none early (every %i µs)', async (periodUs) => {
    const { lateUs } = await sendAll(makePacer, periodUs);
    expect(lateUs).toHaveLength(messages);
    expect(Math.min(...lateUs)).toBeGreaterThanOrEqual(0);
  });

  it('sends every message while sockets must be read often', async () => {
    const { lateUs } = await sendAll(makePacer, 1_000, true);
    expect(lateUs).toHaveLength(messages);
    expect(Math.min(...lateUs)).toBeGreaterThanOrEqual(0);
  });
});

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

it('converges to one early wake-up in five', () => {
  const us = learned((random) => 40 + 50 * random);
  expect(us).toBeGreaterThan(44);
  expect(us).toBeLessThan(56);
});

it('is not affected by a rare, very late wake-up', () => {
  const us = learned((random) => (random < 0.1 ? 5_000 : 50 + 20 * random));
  expect(us).toBeGreaterThan(48);
  expect(us).toBeLessThan(60);
});

it('stays within its limits', () => {
  expect(learned(() => 10_000)).toBe(120);
  expect(learned(() => 0)).toBe(0);
});

/** A broker that acknowledges at a steady rate, and a sender that rests between its turns. */
function play(window: number, acknowledgementsPerUs: number) {
  const rest = new AcknowledgementBackoff();
  const workUs = 20;
  let us = 0;
  let shares: number[] = [];
  for (let turn = 0; turn < 500; turn += 1) {
    const came = Math.min(window, Math.max(1, Math.floor((workUs + us) * acknowledgementsPerUs)));
    us = rest.next(came, window);
    shares.push(came / window);
  }
  shares = shares.slice(-100);
  return {
    us,
    most: Math.max(...shares),
    mean: shares.reduce((sum, share) => sum + share, 0) / shares.length,
  };
}

it('waits for a good part of the window, but never for all of it', () => {
  for (const perUs of [0.03, 0.1, 0.5]) {
    const { most, mean } = play(1_000, perUs);
    expect(most).toBeLessThan(0.75);
    if (perUs > 0.1) expect(mean).toBeGreaterThan(0.2);
  }
});

it('does not rest at all with a window of one', () => {
  expect(play(1, 0.1).us).toBe(0);
});

it('never rests longer than 2 ms', () => {
  expect(play(65_535, 0.01).us).toBeLessThanOrEqual(2_000);
});
