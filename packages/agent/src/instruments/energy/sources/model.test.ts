import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { estimatePowerW, raspberryPi4B } from '../energy-source.ts';
import { makeEnergyLab } from '../testing/energy-lab.ts';
import { pi4Tree, procStat } from '../testing/pi-trees.ts';
import { model } from './model.ts';

const idle = { busyCores: 0, mbitPerSecond: { wifi: 0, ethernet: 0 } };

test('the Raspberry Pi 4B of the model draws the power that its source measured', () => {
  expect(estimatePowerW(raspberryPi4B, idle)).toBe(2.7);
  expect(estimatePowerW(raspberryPi4B, { ...idle, busyCores: 4 })).toBeCloseTo(6.4, 9);
  const wifi = { busyCores: 0, mbitPerSecond: { wifi: 100, ethernet: 900 } };
  expect(estimatePowerW(raspberryPi4B, wifi)).toBeCloseTo(2.7 + 0.4813, 9);
});

test('busy cores and traffic since the previous sample determine the power, and energy adds up', async () => {
  const lab = makeEnergyLab({ interfaceNames: ['lo', 'wlan0', 'eth0'] });
  lab.write({ ...pi4Tree, stat: procStat(1_000, 9_000) });
  const source = model.make(lab.environment);
  expect(await source.probe()).toEqual({ available: true, detail: 'Raspberry Pi 4B' });
  await source.start();
  expect(await source.sample()).toEqual({ atUs: 1_000_000, powerW: null, energyJ: 0, problem: null });
  lab.passMs(2_000);
  // Half of four cores, and 2.5 MB of Wi-Fi in 2 s: 10 Mbit/s.
  lab.write({ stat: procStat(1_400, 9_400), 'class/net/wlan0/statistics/tx_bytes': '3200000\n' });
  const { powerW, energyJ } = await source.sample();
  expect(powerW).toBeCloseTo(2.7 + 2 * 0.925 + 10 * 4.813e-3, 9);
  expect(energyJ).toBeCloseTo(2 * powerW!, 9);
});

test('an interface that vanishes or a counter that decreased has no value', async () => {
  const lab = makeEnergyLab({ interfaceNames: ['wlan0'] });
  lab.write({ ...pi4Tree, stat: procStat(1_000, 9_000) });
  const source = model.make(lab.environment);
  await source.start();
  await source.sample();
  lab.passMs(1_000);
  lab.write({ stat: procStat(1_100, 9_100), 'class/net/wlan0/statistics/tx_bytes': '5\n' });
  expect(await source.sample()).toMatchObject({ powerW: null, energyJ: null, problem: { code: 'nonsense' } });
  // The sum still includes the energy of the cores.
  lab.passMs(1_000);
  expect(await source.sample()).toMatchObject({ problem: null });
  lab.passMs(1_000);
  lab.write({ stat: procStat(1_200, 9_200) });
  const { energyJ } = await source.sample();
  expect(energyJ).toBeGreaterThan(3 * raspberryPi4B.idleW);
  rmSync(join(lab.root, 'class/net/wlan0/statistics'), { recursive: true });
  expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'vanished' } });
});

test('this machine draws a power between idle and all cores busy', async () => {
  const { environment } = makeEnergyLab({ procRoot: '/proc', sysRoot: '/sys', interfaceNames: ['lo'] });
  let nowUs = 0;
  const source = model.make({ ...environment, clock: { ...environment.clock, nowUs: () => nowUs } });
  await source.start();
  await source.sample();
  for (const until = Date.now() + 200; Date.now() < until; );
  nowUs = 200_000;
  const { powerW } = await source.sample();
  expect(powerW).toBeGreaterThan(2.7);
  expect(powerW).toBeLessThan(2.7 + 0.925 * 512);
});
