import { join } from 'node:path';
import { listFolder, readText } from '../../../processes/files.ts';
import {
  checkPower,
  type EnergyProblem,
  type EnergySource,
  type EnergySourceDefinition,
  makePolledSource,
  readSensorFile,
} from '../energy-source.ts';

interface HwmonChip {
  folder: string;
  name: string;
}

/** Chip names assigned by the drivers ina2xx and ina260-adc (Linux: Documentation/hwmon/ina2xx). */
export const inaChips: readonly string[] = ['ina219', 'ina220', 'ina226', 'ina230', 'ina231', 'ina260'];

const sensor = { needsAddress: false, minIntervalMs: 100, model: null } as const;

export const ina2xx: EnergySourceDefinition = {
  id: 'ina2xx',
  label: 'INA219, INA226 or INA260 in the supply line',
  quality: 'measured',
  covers: 'everything behind the shunt; correct only if shunt_resistor matches the soldered shunt',
  ...sensor,
  make: (environment) => makeHwmonSource(environment, ({ name }) => inaChips.includes(name)),
};

export const hwmon: EnergySourceDefinition = {
  id: 'hwmon',
  label: 'Power sensor of the board',
  quality: 'on-board',
  covers: 'the part of the board behind this sensor',
  ...sensor,
  make: (environment) =>
    makeHwmonSource(environment, ({ folder, name }) => !inaChips.includes(name) && hasPower(folder)),
};

/**
 * Reads the power of the first matching chip in /sys/class/hwmon (Linux:
 * Documentation/hwmon/sysfs-interface).
 */
function makeHwmonSource(
  { sysRoot, clock }: Parameters<EnergySourceDefinition['make']>[0],
  isWanted: (chip: HwmonChip) => boolean,
): EnergySource {
  let chip: HwmonChip | undefined;
  const find = () => {
    chip = listChips(sysRoot).find(isWanted);
  };
  const read = () =>
    chip === undefined
      ? ({ code: 'not-found', message: 'no such chip in /sys/class/hwmon' } as const)
      : readPowerW(chip);
  return makePolledSource({ clock, read, find, describe: () => `${chip?.name} in ${chip?.folder}` });
}

function listChips(sysRoot: string): HwmonChip[] {
  const root = join(sysRoot, 'class/hwmon');
  return listFolder(root).map((entry) => ({
    folder: join(root, entry),
    name: readText(join(root, entry, 'name')) ?? '',
  }));
}

/** Reads power1_input in µW or, if the chip has none, in1_input (bus voltage, mV) times curr1_input (mA). */
function readPowerW({ folder, name }: HwmonChip): number | EnergyProblem {
  if (hasPower(folder)) {
    const microwatts = readSensorFile(join(folder, 'power1_input'));
    return typeof microwatts === 'number' ? checkPower(microwatts / 1e6, name) : microwatts;
  }
  const millivolts = readSensorFile(join(folder, 'in1_input'));
  if (typeof millivolts !== 'number') return millivolts;
  const milliamperes = readSensorFile(join(folder, 'curr1_input'));
  if (typeof milliamperes !== 'number') return milliamperes;
  return checkPower((millivolts * milliamperes) / 1e6, name);
}

/** Returns true if the file exists and is not empty. */
function hasPower(folder: string): boolean {
  return Boolean(readText(join(folder, 'power1_input')));
}
