import { expect, test } from 'vitest';
import { Changes, poll } from './poll.ts';

test('resolves with true at the first check that succeeds', async () => {
  let checks = 0;
  const check = () => {
    checks += 1;
    return checks === 3;
  };
  expect(await poll(check, { everyMs: 1 })).toBe(true);
  expect(checks).toBe(3);
});

test('checks once without waiting, even if there is no time', async () => {
  expect(await poll(async () => true, { everyMs: 60_000, timeoutMs: 0 })).toBe(true);
  expect(await poll(() => false, { everyMs: 60_000, timeoutMs: 0 })).toBe(false);
});

test('a check follows the end of the time, however long the pause took', async () => {
  let checks = 0;
  const check = () => {
    checks += 1;
    return checks === 2;
  };
  expect(await poll(check, { everyMs: 5, timeoutMs: 1 })).toBe(true);
});

test('an abort ends the pause at once and is not an error', async () => {
  const controller = new AbortController();
  const done = poll(() => false, { everyMs: 600_000, signal: controller.signal });
  controller.abort();
  expect(await done).toBe(false);
  let checks = 0;
  const count = () => {
    checks += 1;
    return true;
  };
  expect(await poll(count, { everyMs: 1, signal: controller.signal })).toBe(false);
  expect(checks).toBe(0);
});

test('an error of the check rejects', async () => {
  const check = () => Promise.reject(new Error('broken'));
  await expect(poll(check, { everyMs: 1 })).rejects.toThrow('broken');
});

test('a change causes a check at once, also one that happens during a check', async () => {
  const changes = new Changes();
  let count = 0;
  const done = poll(() => count === 2, { changes });
  for (const next of [1, 2]) {
    count = next;
    changes.notify();
  }
  expect(await done).toBe(true);
  let checks = 0;
  const check = async () => {
    checks += 1;
    if (checks === 1) changes.notify();
    return checks === 2;
  };
  expect(await poll(check, { changes, everyMs: 600_000 })).toBe(true);
});

test('without changes the time or an abort ends the wait', async () => {
  const changes = new Changes();
  expect(await poll(() => false, { changes, timeoutMs: 1 })).toBe(false);
  const controller = new AbortController();
  const done = poll(() => false, { changes, signal: controller.signal });
  controller.abort();
  expect(await done).toBe(false);
});
