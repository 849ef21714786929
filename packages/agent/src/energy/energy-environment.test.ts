import { expect, test } from 'vitest';
import { systemClock } from '../pacing/clock.ts';
import { makeEnergyEnvironment } from './energy-environment.ts';
import { energySources } from './energy-sources.ts';

const environment = makeEnergyEnvironment({
  clock: systemClock,
  procRoot: '/proc',
  sysRoot: '/sys',
  meterUrl: null,
  interfaceNames: ['lo'],
});

test('runs real programs, and rejects when there is none', async () => {
  expect(await environment.runCommand('echo', ['pmic'])).toBe('pmic\n');
  await expect(environment.runCommand('vcgencmd-of-another-board', [])).rejects.toThrow('ENOENT');
});

test('every source answers on this very machine, with a sensor or a reason', async () => {
  for (const definition of energySources) {
    const availability = await definition.make(environment).probe();
    const text = availability.available ? availability.detail : availability.problem.message;
    expect(text.length).toBeGreaterThan(3);
  }
});
