import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeEnergyLab } from '../testing/energy-lab.ts';
import { ina226Tree, pi4Tree, pi5Tree } from '../testing/pi-trees.ts';
import { hwmon, ina2xx, inaChips } from './hwmon.ts';

const chip = 'class/hwmon/hwmon4';

test.each([
  ['4', pi4Tree],
  ['5', pi5Tree],
])('a Raspberry Pi %s alone has no power in hwmon', async (_board, tree) => {
  const lab = makeEnergyLab();
  lab.write(tree);
  for (const definition of [ina2xx, hwmon]) {
    expect(await definition.make(lab.environment).probe()).toMatchObject({
      available: false,
      problem: { code: 'not-found' },
    });
  }
});

test('an INA226 on a Raspberry Pi is found by name and read in µW; it is not a sensor of the board', async () => {
  const lab = makeEnergyLab();
  lab.write({ ...pi4Tree, ...ina226Tree });
  const source = ina2xx.make(lab.environment);
  expect(await source.probe()).toMatchObject({ available: true, detail: expect.stringContaining('ina226') });
  await source.start();
  expect(await source.sample()).toEqual({ atUs: 1_000_000, powerW: 3.125, energyJ: null, problem: null });
  lab.passMs(100);
  lab.write({ [`${chip}/power1_input`]: '6400000\n' });
  expect(await source.sample()).toMatchObject({ atUs: 1_100_000, powerW: 6.4 });
  expect((await hwmon.make(lab.environment).probe()).available).toBe(false);
});

test.each(inaChips)('%s without power1_input: bus voltage times current', async (name) => {
  const lab = makeEnergyLab();
  const { [`${chip}/power1_input`]: _power, ...tree } = ina226Tree;
  lab.write({ ...tree, [`${chip}/name`]: `${name}\n` });
  const source = ina2xx.make(lab.environment);
  await source.start();
  expect((await source.sample()).powerW).toBeCloseTo(5.102 * 0.612, 9);
});

test('another chip with power1_input is a sensor of the board', async () => {
  const lab = makeEnergyLab();
  lab.write({
    ...pi5Tree,
    'class/hwmon/hwmon10/name': 'corsairpsu\n',
    'class/hwmon/hwmon10/power1_input': '42000000\n',
  });
  const source = hwmon.make(lab.environment);
  expect(await source.probe()).toMatchObject({
    available: true,
    detail: expect.stringContaining('corsairpsu'),
  });
  await source.start();
  expect((await source.sample()).powerW).toBe(42);
});

test('a chip that vanishes during the run reports a reason instead of a value, and values again when it is back', async () => {
  const lab = makeEnergyLab();
  lab.write(ina226Tree);
  const source = ina2xx.make(lab.environment);
  await source.start();
  rmSync(join(lab.root, chip), { recursive: true });
  const gone = await source.sample();
  expect(gone).toMatchObject({ powerW: null, problem: { code: 'vanished' } });
  expect(gone.problem?.message).toContain('ENOENT');
  lab.write(ina226Tree);
  expect((await source.sample()).powerW).toBe(3.125);
});

test.each([
  ['text', 'N/A\n'],
  ['a negative power, as of a shunt the wrong way round', '-3125000\n'],
  ['more than any fuse carries', '99999999999\n'],
  ['a fraction', '3.1\n'],
  ['endless digits', `${'9'.repeat(30)}\n`],
])('%s is reported as nonsense', async (_case, text) => {
  const lab = makeEnergyLab();
  lab.write({ ...ina226Tree, [`${chip}/power1_input`]: text });
  const source = ina2xx.make(lab.environment);
  await source.start();
  expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'nonsense' } });
  expect((await source.probe()).available).toBe(false);
});
