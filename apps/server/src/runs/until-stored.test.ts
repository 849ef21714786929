import { expect, test, vi } from 'vitest';
import { StorageError } from '../store/storage-error.ts';
import { untilStored } from './until-stored.ts';

const full = () => new StorageError('full', 'The disk is full.', { remedy: 'Free some space.' });
const never = new AbortController().signal;
const base = { signal: never, timeoutMs: 10_000, onWaiting: () => {}, everyMs: 1 };

test('waits for room, says so once, and gives what was stored', async () => {
  const onWaiting = vi.fn();
  let left = 5;
  const store = () => {
    left -= 1;
    if (left > 0) throw full();
    return 'kept';
  };
  expect(await untilStored(store, { ...base, onWaiting })).toBe('kept');
  expect(onWaiting).toHaveBeenCalledTimes(1);
});

test('ends when the time is over', async () => {
  const store = vi.fn(() => {
    throw full();
  });
  await expect(untilStored(store, { ...base, timeoutMs: 30 })).rejects.toMatchObject({ code: 'full' });
  expect(store.mock.calls.length).toBeGreaterThan(1);
});

test('ends after a few tries more when it is stopped', async () => {
  const store = vi.fn(() => {
    throw full();
  });
  await expect(untilStored(store, { ...base, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'full',
  });
  expect(store).toHaveBeenCalledTimes(5);
});

test('does not wait for what waiting does not help', async () => {
  const store = vi.fn(() => {
    throw new RangeError('there is no run 7');
  });
  await expect(untilStored(store, base)).rejects.toThrow('no run 7');
  expect(store).toHaveBeenCalledTimes(1);
});
