import type { EnergySourceDefinition } from '../energy-source.ts';
import { makeHwmonPowerSource } from './hwmon-power.ts';

/** Names that the drivers ina2xx and ina260-adc give their chips (Linux: Documentation/hwmon/ina2xx). */
export const inaChips: readonly string[] = ['ina219', 'ina220', 'ina226', 'ina230', 'ina231', 'ina260'];

export const ina2xx: EnergySourceDefinition = {
  id: 'ina2xx',
  label: 'INA219, INA226 or INA260 in the supply line',
  quality: 'measured',
  covers:
    'everything behind the shunt; right only when shunt_resistor is set to the shunt that is soldered in',
  needsAddress: false,
  minIntervalMs: 100,
  model: null,
  make: (environment) => makeHwmonPowerSource(environment, ({ name }) => inaChips.includes(name)),
};
