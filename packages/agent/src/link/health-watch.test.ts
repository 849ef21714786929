import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import { expect, onTestFinished, test } from 'vitest';
import { makeCollector } from '../instruments/sampler.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { HealthWatch } from './health-watch.ts';

const clock = { nowUs: () => performance.now() * 1_000, unixMs: () => 1_700_000_000_000 };

function watch(change: Partial<ConstructorParameters<typeof HealthWatch>[0]> = {}) {
  const procRoot = makeTemporaryFolder();
  const tell = (busy: number, idle: number) =>
    writeFileSync(join(procRoot, 'stat'), `cpu  ${busy} 0 0 ${idle} 0 0 0 0 0 0\n`);
  tell(0, 0);
  const told: DeviceHealth[] = [];
  const watching = new HealthWatch({
    clock,
    procRoot,
    dataFolder: procRoot,
    throttling: null,
    temperature: null,
    everyMs: 10,
    interfaces: () => [{ name: 'eth0', kind: 'ethernet', address: '192.0.2.1', up: false }],
    isBusy: () => false,
    onHealth: (health) => told.push(health),
    ...change,
  });
  watching.start();
  onTestFinished(() => watching.stop());
  return { told, tell, watching };
}

test('reports immediately, and includes CPU from the second report on', async () => {
  const { told, tell } = watch();
  await expect.poll(() => told.length).toBeGreaterThan(0);
  expect(told[0]).toMatchObject({ unixMs: clock.unixMs(), cpuPercent: null, throttling: [] });
  expect(told[0]?.interfaces).toMatchObject([{ name: 'eth0', up: false }]);
  expect(told[0]?.diskFreeBytes).toBeGreaterThan(0);
  tell(90, 10);
  await expect.poll(() => told.some(({ cpuPercent }) => cpuPercent === 90)).toBe(true);
});

test('reports the temperature if a sensor answers', async () => {
  const answers = [48.5, null, 51];
  const temperature = makeCollector('temperature.cpu', '°C', {
    read: () => {
      const answer = answers.shift() ?? null;
      if (answer === null) throw new Error('no answer');
      return answer;
    },
  });
  const { told } = watch({ temperature });
  await expect.poll(() => told.length).toBeGreaterThan(3);
  expect(told.slice(0, 4).map(({ temperatureC }) => temperatureC)).toEqual([48.5, undefined, 51, undefined]);
});

test('reports current throttling, not throttling since boot', async () => {
  const readings = [
    { active: ['under-voltage', 'throttled since boot'], count: null },
    { active: [], count: 3 },
    { active: [], count: 5 },
  ];
  let looks = 0;
  const read = async () => readings[Math.min(looks++, 2)] ?? { active: [], count: null };
  const { told } = watch({ throttling: { name: 'test', everyMs: 1, read } });
  await expect.poll(() => told.length).toBeGreaterThan(3);
  expect(told.slice(0, 4).map(({ throttling }) => throttling)).toEqual([
    ['under-voltage'],
    ['too hot'],
    ['too hot'],
    [],
  ]);
});

test('sends no reports during a run and after it is stopped', async () => {
  let busy = true;
  let looks = 0;
  const { told, watching } = watch({
    isBusy: () => {
      looks += 1;
      return busy;
    },
  });
  await expect.poll(() => looks).toBeGreaterThan(3);
  expect(told).toEqual([]);
  busy = false;
  await expect.poll(() => told.length).toBeGreaterThan(0);
  watching.stop();
  const before = told.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(told).toHaveLength(before);
});
