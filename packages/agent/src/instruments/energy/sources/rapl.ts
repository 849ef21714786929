import { join } from 'node:path';
import { listFolder } from '../../../processes/files.ts';
import {
  checkPower,
  type EnergyEnvironment,
  type EnergyProblem,
  type EnergySample,
  type EnergySource,
  type EnergySourceDefinition,
  isAvailable,
  makeSample,
  readSensorFile,
} from '../energy-source.ts';

interface Zone {
  folder: string;
  /** The counter wraps to 0 at this value, in µJ. */
  rangeUj: number;
  lastUj: number;
  /** In µJ since `start`. */
  totalUj: number;
}

export const rapl: EnergySourceDefinition = {
  id: 'rapl',
  label: 'CPU counter (RAPL)',
  quality: 'on-board',
  covers: 'the CPU packages; not memory, disks, network or power supply',
  needsAddress: false,
  minIntervalMs: 100,
  model: null,
  make: makeRaplSource,
};

/** Makes a source that adds up the packages in /sys/class/powercap (Linux: Documentation/power/powercap). */
function makeRaplSource({ sysRoot, clock }: EnergyEnvironment): EnergySource {
  let zones: Zone[] = [];
  let last: { atUs: number; energyJ: number } | null = null;
  let lost: EnergyProblem | null = null;
  const missing: EnergyProblem = {
    code: 'not-found',
    message: 'no intel-rapl package in /sys/class/powercap',
  };

  const begin = (): string | EnergyProblem => {
    last = null;
    lost = null;
    const found = openZones(sysRoot);
    zones = Array.isArray(found) ? found : [];
    if (!Array.isArray(found)) return found;
    return found.length === 0 ? missing : `${found.length} package${found.length === 1 ? '' : 's'}`;
  };

  const read = (): EnergySample => {
    const atUs = clock.nowUs();
    if (zones.length === 0) return makeSample(atUs, missing);
    for (const zone of zones) {
      const problem = advance(zone);
      if (problem !== null) return makeSample(atUs, problem);
    }
    if (lost !== null) return makeSample(atUs, lost);
    const energyJ = zones.reduce((sum, { totalUj }) => sum + totalUj, 0) / 1e6;
    const before = last;
    last = { atUs, energyJ };
    if (before === null || atUs <= before.atUs) return { atUs, powerW: null, energyJ, problem: null };
    const power = checkPower((energyJ - before.energyJ) / ((atUs - before.atUs) / 1e6), 'RAPL');
    if (typeof power === 'number') return { atUs, powerW: power, energyJ, problem: null };
    // The sum includes the jump, so later differences are also invalid.
    lost = power;
    return makeSample(atUs, power);
  };

  return {
    probe: async () => isAvailable(begin()),
    start: async () => void begin(),
    sample: async () => read(),
    stop: async () => {},
  };
}

/**
 * Opens the packages. They are named intel-rapl:0, :1 and so on; intel-rapl:0:0 is part of :0, and
 * intel-rapl-mmio:0 duplicates :0.
 */
function openZones(sysRoot: string): Zone[] | EnergyProblem {
  const root = join(sysRoot, 'class/powercap');
  const names = listFolder(root).filter((name) => /^intel-rapl:\d+$/.test(name));
  const zones: Zone[] = [];
  for (const name of names) {
    const folder = join(root, name);
    const rangeUj = readSensorFile(join(folder, 'max_energy_range_uj'));
    if (typeof rangeUj !== 'number') return rangeUj;
    const lastUj = readSensorFile(join(folder, 'energy_uj'));
    if (typeof lastUj !== 'number') return lastUj;
    zones.push({ folder, rangeUj, lastUj, totalUj: 0 });
  }
  return zones;
}

function advance(zone: Zone): EnergyProblem | null {
  const file = join(zone.folder, 'energy_uj');
  const nowUj = readSensorFile(file);
  if (typeof nowUj !== 'number') return nowUj;
  if (nowUj < 0 || nowUj > zone.rangeUj) return { code: 'nonsense', message: `${file} says ${nowUj}` };
  const deltaUj = nowUj - zone.lastUj;
  zone.totalUj += deltaUj < 0 ? deltaUj + zone.rangeUj : deltaUj;
  zone.lastUj = nowUj;
  return null;
}
