import { expect, it } from 'vitest';
import { type DeviceHealth, findHealthProblems } from './device-health.ts';

const now = 1_700_000_000_000;
const problemsOf = (change: Partial<DeviceHealth>) =>
  findHealthProblems({ unixMs: now, diskFreeBytes: 5e9, cpuPercent: 3, throttling: [], ...change }, now);

it.each<[Partial<DeviceHealth>, string[]]>([
  [{}, []],
  [{ diskFreeBytes: null, cpuPercent: null }, []],
  [{ diskFreeBytes: 120e6 }, ['its disk is nearly full (120 MB free)']],
  [{ unixMs: now + 3_600_000 }, ["its clock is 60 min ahead of the server's"]],
  [{ unixMs: now - 5_000 }, ["its clock is 5 s behind the server's"]],
  [{ unixMs: now - 1_900 }, []],
  [{ cpuPercent: 93.4 }, ['other programs use 93 % of its CPU capacity']],
  [
    { throttling: ['under-voltage', 'throttled'], cpuPercent: 81 },
    ['its CPU is throttled (under-voltage, throttled)', 'other programs use 81 % of its CPU capacity'],
  ],
])('says of %j: %j', (change, words) => {
  expect(problemsOf(change)).toEqual(words);
});
