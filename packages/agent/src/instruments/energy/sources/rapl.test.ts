import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeEnergyLab } from '../testing/energy-lab.ts';
import { rapl } from './rapl.ts';

const rangeUj = 262_143_328_850;
const zone = (name: string, energyUj: number) => ({
  [`class/powercap/${name}/name`]: 'package-0\n',
  [`class/powercap/${name}/energy_uj`]: `${energyUj}\n`,
  [`class/powercap/${name}/max_energy_range_uj`]: `${rangeUj}\n`,
});

test('packages are added up; zones inside them and their mirror are not', async () => {
  const lab = makeEnergyLab();
  lab.write({
    ...zone('intel-rapl:0', 1_000_000),
    ...zone('intel-rapl:1', 5_000_000),
    ...zone('intel-rapl:0:0', 900_000),
    ...zone('intel-rapl-mmio:0', 1_000_000),
  });
  const source = rapl.make(lab.environment);
  expect(await source.probe()).toEqual({ available: true, detail: '2 packages' });
  await source.start();
  expect(await source.sample()).toEqual({ atUs: 1_000_000, powerW: null, energyJ: 0, problem: null });
  lab.passMs(500);
  lab.write({
    ...zone('intel-rapl:0', 4_000_000),
    ...zone('intel-rapl:1', 6_000_000),
    ...zone('intel-rapl:0:0', 9e6),
  });
  expect(await source.sample()).toEqual({ atUs: 1_500_000, powerW: 8, energyJ: 4, problem: null });
});

test('a counter that wraps continues', async () => {
  const lab = makeEnergyLab();
  lab.write(zone('intel-rapl:0', rangeUj - 2_000_000));
  const source = rapl.make(lab.environment);
  await source.start();
  await source.sample();
  lab.passMs(1_000);
  lab.write(zone('intel-rapl:0', 3_000_000));
  expect(await source.sample()).toMatchObject({ powerW: 5, energyJ: 5, problem: null });
});

test('start resets to zero', async () => {
  const lab = makeEnergyLab();
  lab.write(zone('intel-rapl:0', 0));
  const source = rapl.make(lab.environment);
  await source.start();
  lab.write(zone('intel-rapl:0', 7_000_000));
  expect((await source.sample()).energyJ).toBe(7);
  await source.start();
  expect((await source.sample()).energyJ).toBe(0);
});

test.each([
  ['text', 'zero\n'],
  ['more than its own range', `${rangeUj + 1}\n`],
  ['a negative count', '-5\n'],
])('%s is reported as nonsense', async (_case, text) => {
  const lab = makeEnergyLab();
  lab.write(zone('intel-rapl:0', 0));
  const source = rapl.make(lab.environment);
  await source.start();
  lab.write({ 'class/powercap/intel-rapl:0/energy_uj': text });
  expect(await source.sample()).toMatchObject({ powerW: null, energyJ: null, problem: { code: 'nonsense' } });
});

test('after an impossible jump the counter is no longer trusted', async () => {
  const lab = makeEnergyLab();
  lab.write(zone('intel-rapl:0', 5_000_000));
  const source = rapl.make(lab.environment);
  await source.start();
  await source.sample();
  // As on a machine that wakes up from sleep.
  for (const [energyUj, code] of [
    [1_000_000, 'nonsense'],
    [2_000_000, 'nonsense'],
  ] as const) {
    lab.passMs(100);
    lab.write(zone('intel-rapl:0', energyUj));
    expect(await source.sample()).toMatchObject({ powerW: null, energyJ: null, problem: { code } });
  }
  await source.start();
  expect(await source.sample()).toMatchObject({ energyJ: 0, problem: null });
});

test('a counter that vanishes is reported with a reason; an impossible jump has no value', async () => {
  const lab = makeEnergyLab();
  lab.write(zone('intel-rapl:0', 0));
  const source = rapl.make(lab.environment);
  await source.start();
  await source.sample();
  lab.passMs(10);
  lab.write(zone('intel-rapl:0', 200_000_000_000));
  expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'nonsense' } });
  rmSync(join(lab.root, 'class/powercap/intel-rapl:0'), { recursive: true });
  expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'vanished' } });
});
