import { expect, it } from 'vitest';
import { makeQueryClient } from './app.tsx';

it('uses prefetched responses, and repeats failed requests', async () => {
  const failed = Promise.reject(new Error('gone'));
  const client = makeQueryClient([
    { queryKey: ['run', 1], answer: Promise.resolve('first') },
    { queryKey: ['run', 2], answer: failed },
  ]);
  const ask = (id: number) =>
    client.ensureQueryData({ queryKey: ['run', id], queryFn: async () => 'asked again', retry: false });
  expect(await ask(1)).toBe('first');
  await failed.catch(() => undefined);
  await expect.poll(() => client.getQueryState(['run', 2])?.status).toBe('error');
  expect(await ask(2)).toBe('asked again');
});
