import { expect, test } from 'vitest';
import { Backoff } from './backoff.ts';

const next = (backoff: Backoff, times: number) => Array.from({ length: times }, () => backoff.next());

test('waits double up to the limit and start again after a reset', () => {
  const backoff = new Backoff({ firstMs: 200, longestMs: 1_000 });
  expect(next(backoff, 5)).toEqual([200, 400, 800, 1_000, 1_000]);
  backoff.reset();
  expect(next(backoff, 2)).toEqual([200, 400]);
  backoff.skipToLongest();
  expect(next(backoff, 2)).toEqual([1_000, 1_000]);
});

test('a first wait above the limit is cut', () => {
  expect(next(new Backoff({ firstMs: 500, longestMs: 100 }), 2)).toEqual([100, 100]);
});

test('jitter shortens a wait by its share at most, and does not change the ones after it', () => {
  const draws = [0, 0.5, 1];
  const backoff = new Backoff({
    firstMs: 100,
    longestMs: 10_000,
    jitter: 0.25,
    random: () => draws.shift() ?? 0,
  });
  expect(next(backoff, 4)).toEqual([100, 175, 300, 800]);
});
