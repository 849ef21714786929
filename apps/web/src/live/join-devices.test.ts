import type { Progress } from '@mqttlab/shared/messages/agent';
import { expect, it } from 'vitest';
import { joinDevices } from './join-devices.ts';
import { makeProgress, makeRunSummary } from './live-factories.ts';

const currentWith = (part: { progress: Progress[] }) => ({ run: makeRunSummary(), phases: [], ...part });
const frame = (deviceId: string, atMs: number, change: Partial<Progress> = {}): Progress =>
  makeProgress({ role: 'publisher', deviceId, atMs, messages: 10, cpuPercent: 20, ...change });

it('adds rates of the devices of one role and averages their CPU, where all of them told', () => {
  const current = currentWith({
    progress: [
      frame('a', 1000, { messagesPerSecond: 100, cpuPercent: 10 }),
      frame('b', 1010, { messagesPerSecond: 50, cpuPercent: 30 }),
      frame('a', 2000),
    ],
  });
  const { progress } = joinDevices(current);
  expect(progress).toHaveLength(1);
  expect(progress[0]).toMatchObject({ atMs: 1000, messages: 20, messagesPerSecond: 150, cpuPercent: 20 });
});

it('leaves a run with one device in each role as it is', () => {
  const current = currentWith({ progress: [frame('a', 1000), frame('a', 2000)] });
  expect(joinDevices(current)).toBe(current);
});
