import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkPower,
  type EnergyEnvironment,
  type EnergyProblem,
  type EnergySource,
  isAvailable,
  makeSample,
} from '../energy-source.ts';
import { readSensorFile, readText } from './sensor-file.ts';

export interface HwmonChip {
  /** Folder of the chip. */
  folder: string;
  name: string;
}

/** Power of the first chip of /sys/class/hwmon that is wanted (Linux: Documentation/hwmon/sysfs-interface). */
export function makeHwmonPowerSource(
  { sysRoot, clock }: EnergyEnvironment,
  isWanted: (chip: HwmonChip) => boolean,
): EnergySource {
  let chip: HwmonChip | null = null;
  const missing: EnergyProblem = { code: 'not-found', message: 'no such chip in /sys/class/hwmon' };

  const find = () => {
    chip = listChips(sysRoot).find(isWanted) ?? null;
    return chip;
  };
  return {
    probe() {
      const found = find();
      if (found === null) return Promise.resolve(isAvailable(missing));
      const power = readPowerW(found);
      return Promise.resolve(
        isAvailable(typeof power === 'number' ? `${found.name} in ${found.folder}` : power),
      );
    },
    start() {
      find();
      return Promise.resolve();
    },
    sample() {
      const atUs = clock.nowUs();
      return Promise.resolve(makeSample(atUs, chip === null ? missing : readPowerW(chip)));
    },
    stop: () => Promise.resolve(),
  };
}

function listChips(sysRoot: string): HwmonChip[] {
  const root = join(sysRoot, 'class/hwmon');
  let entries: string[];
  try {
    entries = readdirSync(root);
  } catch {
    return [];
  }
  return entries
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((entry) => ({ folder: join(root, entry), name: readText(join(root, entry, 'name')) }));
}

/** power1_input in µW; where the chip has none, in1_input (bus voltage, mV) times curr1_input (mA). */
function readPowerW({ folder, name }: HwmonChip): number | EnergyProblem {
  const file = join(folder, 'power1_input');
  if (readText(file) !== '') {
    const microwatts = readSensorFile(file);
    return typeof microwatts === 'number' ? checkPower(microwatts / 1e6, name) : microwatts;
  }
  const millivolts = readSensorFile(join(folder, 'in1_input'));
  if (typeof millivolts !== 'number') return millivolts;
  const milliamperes = readSensorFile(join(folder, 'curr1_input'));
  if (typeof milliamperes !== 'number') return milliamperes;
  return checkPower((millivolts * milliamperes) / 1e6, name);
}
