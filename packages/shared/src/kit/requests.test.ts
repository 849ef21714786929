import { setTimeout as wait } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { Requests } from './requests.ts';

const send = () => {};
const late = () => new Error('late');

test('answers find their requests by key, in any order', async () => {
  const requests = new Requests<number, string>();
  const sent: number[] = [];
  const answers = [1, 2].map((id) => requests.ask(id, { send: () => sent.push(id) }));
  expect(sent).toEqual([1, 2]);
  expect(requests.size).toBe(2);
  expect(requests.resolve(2, 'two')).toBe(true);
  expect(requests.reject(1, new Error('refused'))).toBe(true);
  expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(requests.size).toBe(0);
});

test('an answer without a request is reported, and a pending key cannot be used twice', async () => {
  const requests = new Requests<string, number>();
  expect(requests.resolve('a', 1)).toBe(false);
  const first = requests.ask('a', { send });
  expect(() => requests.ask('a', { send })).toThrow('pending');
  requests.resolve('a', 1);
  expect(await first).toBe(1);
  const second = requests.ask('a', { send });
  requests.resolve('a', 2);
  expect(await second).toBe(2);
});

test('a request that is not answered in time or not sent is rejected, and its key is free', async () => {
  const requests = new Requests<number, number>();
  await expect(requests.ask(1, { send, timeout: { ms: 1, late } })).rejects.toThrow('late');
  expect(requests.resolve(1, 1)).toBe(false);
  const failing = () => {
    throw new Error('closed');
  };
  await expect(requests.ask(1, { send: failing })).rejects.toThrow('closed');
  expect(requests.size).toBe(0);
});

test('an answer in time ends the timer', async () => {
  const requests = new Requests<number, number>();
  const first = requests.ask(1, { send, timeout: { ms: 1, late } });
  requests.resolve(1, 1);
  expect(await first).toBe(1);
  const second = requests.ask(1, { send });
  await wait(20);
  requests.resolve(1, 2);
  expect(await second).toBe(2);
});

test('an answer that arrived while the process was blocked counts', async () => {
  const requests = new Requests<number, number>();
  const answer = requests.ask(1, { send, timeout: { ms: 5, late } });
  const { port1, port2 } = new MessageChannel();
  port2.on('message', () => requests.resolve(1, 1));
  port1.postMessage('answer');
  const until = performance.now() + 30;
  while (performance.now() < until);
  expect(await answer).toBe(1);
  port1.close();
});

test('a closed channel rejects every request', async () => {
  const requests = new Requests<number, number>();
  const answers = [1, 2].map((id) => requests.ask(id, { send, timeout: { ms: 60_000, late } }));
  requests.rejectAll(new Error('lost'));
  for (const answer of answers) await expect(answer).rejects.toThrow('lost');
});
