import { expect, it } from 'vitest';
import { Rest } from './acknowledgement-backoff.ts';

/** A broker that acknowledges at a steady rate, and a sender that rests between its turns. */
function play(window: number, acknowledgementsPerUs: number) {
  const rest = new Rest();
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

it('lets a good part of the window come back, but never all of it', () => {
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
