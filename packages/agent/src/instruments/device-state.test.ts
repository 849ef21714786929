import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeFileTree } from '../testing/file-tree.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { pi4Tree, pi5Tree } from './energy/testing/pi-trees.ts';
import {
  findThrottlingSource,
  makeFrequencyCollector,
  makeTemperatureCollector,
  parsePiFlags,
  ThrottlingLog,
} from './thermal.ts';

const noProgram = () => Promise.reject(new Error('spawn vcgencmd ENOENT'));
const treeAt = (files: Readonly<Record<string, string>>): string => {
  const root = makeTemporaryFolder();
  writeFileTree(root, files);
  return root;
};

describe('temperature and frequency', () => {
  test.each([
    ['a Raspberry Pi 4', pi4Tree, 48.692, 1_500],
    ['a Raspberry Pi 5', pi5Tree, 51.3, 2_400],
  ] as const)('of %s', (...[, tree, celsius, megahertz]) => {
    const root = treeAt(tree);
    const temperature = makeTemperatureCollector(root);
    const frequency = makeFrequencyCollector(root);
    expect(temperature?.read(0)).toEqual([celsius]);
    expect(frequency?.metrics).toEqual([{ metric: 'frequency.policy0', unit: 'MHz' }]);
    expect(frequency?.read(0)).toEqual([megahertz]);
    temperature?.close();
    frequency?.close();
  });

  test('are read from hwmon if there is no thermal zone, and are absent without either', () => {
    const chip = treeAt({
      'class/hwmon/hwmon2/name': 'k10temp\n',
      'class/hwmon/hwmon2/temp1_input': '40125\n',
    });
    expect(makeTemperatureCollector(chip)?.read(0)).toEqual([40.125]);
    expect(makeTemperatureCollector(treeAt({}))).toBeNull();
    expect(makeFrequencyCollector(treeAt({}))).toBeNull();
  });

  test('a zone that vanishes, or has an invalid value, throws: the sampler then omits it', () => {
    const root = treeAt(pi4Tree);
    const vanishing = makeTemperatureCollector(root);
    rmSync(join(root, 'class/thermal/thermal_zone0'), { recursive: true });
    expect(() => vanishing?.read(0)).toThrow('ENOENT');
    const odd = treeAt({ ...pi4Tree, 'class/thermal/thermal_zone0/temp': 'hot\n' });
    expect(() => makeTemperatureCollector(odd)?.read(0)).toThrow('is not a number');
  });
});

describe('throttling', () => {
  test.each([
    ['0', []],
    ['throttled=0x0'.replace('throttled=', ''), []],
    ['0x50005', ['under-voltage', 'under-voltage since boot', 'throttled', 'throttled since boot']],
    ['20002\n', ['frequency capped', 'frequency capped since boot']],
    ['0x80000', ['soft temperature limit since boot']],
  ])('the firmware reports %s', (text, active) => {
    expect(parsePiFlags(text).active).toEqual(active);
  });

  test('an invalid value of the firmware is not a reading', () => {
    for (const text of ['', 'error=1', '0xZZ', '-1'])
      expect(() => parsePiFlags(text)).toThrow('get_throttled');
  });

  test('is read from the firmware, the program, the kernel or the voltage alarm, whichever is available', async () => {
    const nameOf = async (files: Record<string, string>, run = noProgram as () => Promise<string>) =>
      (await findThrottlingSource(treeAt(files), run))?.name ?? null;
    expect(await nameOf(pi4Tree)).toContain('firmware');
    expect(await nameOf({}, () => Promise.resolve('throttled=0x0\n'))).toBe('vcgencmd get_throttled');
    expect(await nameOf({}, () => Promise.resolve('error=2'))).toBeNull();
    expect(await nameOf({ 'devices/system/cpu/cpu0/thermal_throttle/core_throttle_count': '3\n' })).toContain(
      'kernel',
    );
    const { 'devices/platform/soc/soc:firmware/get_throttled': _file, ...withoutFile } = pi5Tree;
    expect(await nameOf(withoutFile)).toContain('rpi_volt');
    expect(await nameOf({})).toBeNull();
  });

  test('counts events of the run, not earlier ones', () => {
    const log = new ThrottlingLog();
    for (const text of ['0x10000', '0x10000', '0x50004', '0x50004', '0x50000', '0x50004', '0xd0004']) {
      log.add(parsePiFlags(text));
    }
    expect(log.facts()).toEqual({
      'throttling.events': 3,
      'throttling.flags': 'throttled, soft temperature limit',
    });
  });

  test('counts an active state at the start of the run as an event, and the increase of a counter', () => {
    const held = new ThrottlingLog();
    held.add({ active: ['under-voltage'], count: null });
    held.add({ active: ['under-voltage'], count: null });
    expect(held.facts()['throttling.events']).toBe(1);
    const counted = new ThrottlingLog();
    for (const count of [12, 12, 15]) counted.add({ active: [], count });
    expect(counted.facts()).toEqual({ 'throttling.events': 3, 'throttling.flags': 'too hot' });
  });
});
