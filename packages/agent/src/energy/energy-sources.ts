import type { EnergySourceDefinition } from './energy-source.ts';
import { model } from './model.ts';
import { hwmon } from './sources/hwmon.ts';
import { ina2xx } from './sources/ina2xx.ts';
import { mqttPlug } from './sources/mqtt-plug.ts';
import { pi5Pmic } from './sources/pi5-pmic.ts';
import { rapl } from './sources/rapl.ts';
import { shellyGen1 } from './sources/shelly-gen1.ts';
import { shellyGen2 } from './sources/shelly-gen2.ts';
import { tasmota } from './sources/tasmota.ts';

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
