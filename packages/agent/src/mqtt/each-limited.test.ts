import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eachLimited } from './connection-source.ts';

it('limits parallel calls, and completes all', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await eachLimited([...Array(25).keys()], 4, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await wait(2);
    done.push(item);
    running -= 1;
  });
  expect(most).toBe(4);
  expect(done.sort((a, b) => a - b)).toEqual([...Array(25).keys()]);
});

it('starts no more after the first failure', async () => {
  const begun: number[] = [];
  const all = eachLimited([...Array(20).keys()], 2, async (item) => {
    begun.push(item);
    await wait(1);
    if (item === 3) throw new Error('three');
  });
  await expect(all).rejects.toThrow('three');
  expect(begun.length).toBeLessThan(8);
});
