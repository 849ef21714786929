import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import { expect, test } from 'vitest';
import { LogLimit } from './agent-hub.ts';

const line = (text: string): LogLine => ({ at: 1, level: 'info', source: 'agent', text });
const pi = { deviceId: 'pi-1', name: 'Pi 1', runId: null };

function makeLimit() {
  let now = 1000;
  const limit = new LogLimit(() => now);
  const texts = (from: Parameters<LogLimit['take']>[0], count: number, text = 'x') =>
    Array.from({ length: count }, () => limit.take(from, line(text)).map((taken) => taken.text)).flat();
  const wait = (ms: number): void => {
    now += ms;
  };
  return { limit, texts, wait };
}

test('allows a burst, then a fixed rate per second, and reports the number of dropped lines', () => {
  const { texts, wait } = makeLimit();
  expect(texts(pi, 200)).toHaveLength(200);
  expect(texts(pi, 5000)).toEqual(['Pi 1 logs more than 10 lines per second; excess lines are dropped']);
  wait(100);
  expect(texts(pi, 1)).toEqual(['5000 lines from Pi 1 were dropped here', 'x']);
  wait(3_600_000);
  expect(texts(pi, 200)).toHaveLength(200);
});

test('one device does not use up the limit of another', () => {
  const { texts } = makeLimit();
  texts(pi, 1000);
  expect(texts({ ...pi, deviceId: 'pi-2', name: 'Pi 2' }, 3)).toEqual(['x', 'x', 'x']);
});

test('limits the lines of a device per run', () => {
  const { texts, wait } = makeLimit();
  const inRun = { ...pi, runId: 7 };
  const taken: string[] = [];
  for (let second = 0; second < 200; second += 1) {
    taken.push(...texts(inRun, 10));
    wait(1000);
  }
  expect(taken.filter((text) => text === 'x')).toHaveLength(1000);
  expect(taken.at(-1)).toBe('Pi 1 logged 1000 lines in run 7; later lines are dropped');
  expect(texts({ ...pi, runId: 8 }, 1)).toEqual(['x']);
});

test('long texts are truncated', () => {
  const { limit } = makeLimit();
  const [taken] = limit.take(pi, { ...line('x'.repeat(1e6)), source: 's'.repeat(1e6) });
  expect([taken?.text.length, taken?.source.length]).toEqual([4000, 100]);
});
