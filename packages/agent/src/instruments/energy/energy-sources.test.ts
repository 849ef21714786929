import { energyQualities } from '@mqttlab/shared/domain/devices/capabilities';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../load/pacing/clock.ts';
import { energySources, findEnergySource, makeEnergyEnvironment } from './energy-sources.ts';
import { makeEnergyLab } from './testing/energy-lab.ts';

test('ids are unique and can be looked up; measuring sources precede estimates', () => {
  expect(new Set(energySources.map(({ id }) => id)).size).toBe(energySources.length);
  for (const source of energySources) expect(findEnergySource(source.id)).toBe(source);
  expect(findEnergySource('crystal-ball')).toBeUndefined();
  const order = energySources.map(({ quality }) => energyQualities.indexOf(quality));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

describe.each(energySources.map((source) => [source.id, source] as const))('%s', (_id, definition) => {
  test('describes itself and the scope of its figure', () => {
    expect(definition.id).toMatch(/^[a-z0-9-]+$/);
    expect(definition.covers.length).toBeGreaterThan(20);
    expect(definition.minIntervalMs).toBeGreaterThanOrEqual(100);
  });

  test('on a device without sensors it is unavailable with a reason, and never has a value', async () => {
    const source = definition.make(makeEnergyLab().environment);
    const availability = await source.probe();
    expect(availability).toMatchObject({ available: false, problem: { code: expect.any(String) } });
    await source.start();
    for (let i = 0; i < 2; i += 1) {
      const sample = await source.sample();
      expect(sample).toMatchObject({ powerW: null, energyJ: null });
      expect(sample.problem?.message.length).toBeGreaterThan(10);
    }
    await source.stop();
  });

  test('start and stop may be called twice and in any order', async () => {
    const source = definition.make(makeEnergyLab().environment);
    for (const step of [source.stop, source.start, source.start, source.stop, source.stop]) await step();
  });
});

const makeEnvironment = () =>
  makeEnergyEnvironment({
    clock: systemClock,
    procRoot: '/proc',
    sysRoot: '/sys',
    meterUrl: null,
    interfaceNames: ['lo'],
  });

test('runs real programs, and rejects when there is none', async () => {
  const environment = makeEnvironment();
  expect(await environment.runCommand('echo', ['pmic'])).toBe('pmic\n');
  await expect(environment.runCommand('vcgencmd-of-another-board', [])).rejects.toThrow('ENOENT');
});

test('every source answers on this machine, with a sensor or a reason', async () => {
  for (const definition of energySources) {
    const availability = await definition.make(makeEnvironment()).probe();
    const text = availability.available ? availability.detail : availability.problem.message;
    expect(text.length).toBeGreaterThan(3);
  }
});
