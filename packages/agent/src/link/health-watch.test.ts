import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import { expect, onTestFinished, test } from 'vitest';
import type { ThrottlingSource } from '../instruments/instrument.ts';
import { makeMeasuredRole } from '../instruments/testing/measured-role.ts';
import { writeFileTree } from '../testing/file-tree.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { HealthWatch } from './health-watch.ts';

const clock = { nowUs: () => performance.now() * 1_000, unixMs: () => 1_700_000_000_000 };

function watch({
  throttling = null,
  isBusy = () => false,
}: {
  throttling?: ThrottlingSource | null;
  isBusy?: () => boolean;
} = {}) {
  const procRoot = makeTemporaryFolder();
  const sysRoot = makeTemporaryFolder();
  const writeCpu = (busy: number, idle: number) =>
    writeFileTree(procRoot, { stat: `cpu  ${busy} 0 0 ${idle} 0 0 0 0 0 0\n` });
  const writeTemperature = (text: string) =>
    writeFileTree(sysRoot, { 'class/thermal/thermal_zone0/temp': text });
  writeCpu(0, 0);
  writeTemperature('48500\n');
  writeFileTree(sysRoot, {
    'class/thermal/thermal_zone0/type': 'cpu-thermal\n',
    'class/net/eth0/type': '1\n',
  });
  const { device } = makeMeasuredRole(procRoot, { device: { clock, procRoot, sysRoot } });
  const reported: DeviceHealth[] = [];
  const watching = new HealthWatch({
    device: { ...device, sensors: { ...device.sensors, throttling } },
    dataFolder: procRoot,
    everyMs: 10,
    isBusy,
    onHealth: (health) => reported.push(health),
  });
  watching.start();
  onTestFinished(() => watching.stop());
  return { reported, writeCpu, writeTemperature, watching };
}

test('reports immediately, and includes CPU from the second report on', async () => {
  const { reported, writeCpu } = watch();
  await expect.poll(() => reported.length).toBeGreaterThan(0);
  expect(reported[0]).toMatchObject({ unixMs: clock.unixMs(), cpuPercent: null, throttling: [] });
  expect(reported[0]?.interfaces).toMatchObject([{ name: 'eth0', up: false }]);
  expect(reported[0]?.diskFreeBytes).toBeGreaterThan(0);
  writeCpu(90, 10);
  await expect.poll(() => reported.some(({ cpuPercent }) => cpuPercent === 90)).toBe(true);
});

test('reports the temperature if a sensor answers', async () => {
  const { reported, writeTemperature } = watch();
  const latest = () => reported.at(-1)?.temperatureC;
  await expect.poll(() => reported.length).toBeGreaterThan(0);
  expect(latest()).toBe(48.5);
  writeTemperature('no answer\n');
  await expect.poll(latest).toBeUndefined();
  writeTemperature('51000\n');
  await expect.poll(latest).toBe(51);
});

test('reports current throttling, not throttling since boot', async () => {
  const readings = [
    { active: ['under-voltage', 'throttled since boot'], count: null },
    { active: [], count: 3 },
    { active: [], count: 5 },
  ];
  let looks = 0;
  const read = async () => readings[Math.min(looks++, 2)] ?? { active: [], count: null };
  const { reported } = watch({ throttling: { name: 'test', everyMs: 1, read } });
  await expect.poll(() => reported.length).toBeGreaterThan(3);
  expect(reported.slice(0, 4).map(({ throttling }) => throttling)).toEqual([
    ['under-voltage'],
    ['too hot'],
    ['too hot'],
    [],
  ]);
});

test('sends no reports during a run and after it is stopped', async () => {
  let busy = true;
  let looks = 0;
  const { reported, watching } = watch({
    isBusy: () => {
      looks += 1;
      return busy;
    },
  });
  await expect.poll(() => looks).toBeGreaterThan(3);
  expect(reported).toEqual([]);
  busy = false;
  await expect.poll(() => reported.length).toBeGreaterThan(0);
  watching.stop();
  const before = reported.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(reported).toHaveLength(before);
});
