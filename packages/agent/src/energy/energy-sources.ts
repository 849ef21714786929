import type { EnergySourceDefinition } from './energy-source.ts';
import { hwmon } from './hwmon.ts';
import { ina2xx } from './ina2xx.ts';
import { model } from './model.ts';
import { mqttPlug } from './mqtt-plug.ts';
import { pi5Pmic } from './pi5-pmic.ts';
import { rapl } from './rapl.ts';
import { shellyGen1 } from './shelly-gen1.ts';
import { shellyGen2 } from './shelly-gen2.ts';
import { tasmota } from './tasmota.ts';

/** Every energy source, the best quality first: the order in which they are offered. */
export const energySources: readonly EnergySourceDefinition[] = [
  ina2xx,
  shellyGen2,
  shellyGen1,
  tasmota,
  mqttPlug,
  pi5Pmic,
  rapl,
  hwmon,
  model,
];

export function findEnergySource(id: string): EnergySourceDefinition | undefined {
  return energySources.find((source) => source.id === id);
}
