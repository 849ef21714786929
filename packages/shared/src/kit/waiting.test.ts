import { expect, test } from 'vitest';
import { waitAtMost, within } from './waiting.ts';

const never = new Promise<never>(() => {});

test('within returns the outcome, or the failure when time is over', async () => {
  const late = () => new Error('late');
  expect(await within(60_000, late, Promise.resolve(7))).toBe(7);
  await expect(within(60_000, late, Promise.reject(new Error('own')))).rejects.toThrow('own');
  await expect(within(1, late, never)).rejects.toThrow('late');
});

test('waitAtMost reports whether the promise was settled, even if it was rejected', async () => {
  expect(await waitAtMost(60_000, Promise.resolve())).toBe(true);
  expect(await waitAtMost(60_000, Promise.reject(new Error('own')))).toBe(true);
  expect(await waitAtMost(1, never)).toBe(false);
});
