import { join } from 'node:path';
import type { EnergySourceDefinition } from '../energy-source.ts';
import { makeHwmonPowerSource } from './hwmon-power.ts';
import { inaChips } from './ina2xx.ts';
import { readText } from './sensor-file.ts';

export const hwmon: EnergySourceDefinition = {
  id: 'hwmon',
  label: 'Power sensor of the board',
  quality: 'on-board',
  covers: 'what the board has put behind this sensor',
  needsAddress: false,
  minIntervalMs: 100,
  model: null,
  make: (environment) =>
    makeHwmonPowerSource(
      environment,
      ({ folder, name }) => !inaChips.includes(name) && readText(join(folder, 'power1_input')) !== '',
    ),
};
