import { expect, it } from 'vitest';
import { within } from './within.ts';

it('gives what comes in time, and names what does not', async () => {
  expect(await within(1000, 'it', Promise.resolve(7))).toBe(7);
  await expect(within(1000, 'it', Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(within(5, 'the capture begins', new Promise(() => {}))).rejects.toThrow(
    'the capture begins: not within 0.005 s',
  );
});
