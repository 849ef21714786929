import type { EnergyCapability } from '@mqttlab/shared/domain/devices/capabilities';
import { within } from '@mqttlab/shared/kit/waiting';
import { fetchMeter } from '../../processes/network.ts';
import { runCommand } from '../../processes/programs.ts';
import type { EnergyEnvironment, EnergySourceDefinition } from './energy-source.ts';
import { hwmon, ina2xx } from './sources/hwmon.ts';
import { model } from './sources/model.ts';
import { pi5Pmic } from './sources/pi5-pmic.ts';
import { rapl } from './sources/rapl.ts';
import { httpPlugs, mqttPlug } from './sources/smart-plugs.ts';

/** Every energy source in the order in which sources are offered, best quality first. */
export const energySources: readonly EnergySourceDefinition[] = [
  ina2xx,
  ...httpPlugs,
  mqttPlug,
  pi5Pmic,
  rapl,
  hwmon,
  model,
];

export function findEnergySource(id: string): EnergySourceDefinition | undefined {
  return energySources.find((source) => source.id === id);
}

const timeoutMs = 3_000;

/**
 * Returns the sources that respond on this device, best first. A source that does not respond in time is left
 * out.
 */
export async function probeEnergy(
  environment: EnergyEnvironment,
  sources: readonly EnergySourceDefinition[] = energySources,
): Promise<EnergyCapability[]> {
  const wanted = sources.filter(({ needsAddress }) => !needsAddress || environment.meterUrl !== null);
  const found = await Promise.all(
    wanted.map(async (definition) => {
      const answer = definition.make(environment).probe();
      const availability = await within(timeoutMs, () => new Error('it did not answer'), answer).catch(
        () => null,
      );
      if (availability?.available !== true) return [];
      const { id, label, quality } = definition;
      return [{ id, label, quality, detail: availability.detail }];
    }),
  );
  return found.flat();
}

/** Returns the environment of the energy sources on this device. */
export function makeEnergyEnvironment(
  given: Omit<EnergyEnvironment, 'runCommand' | 'fetch'>,
): EnergyEnvironment {
  return { runCommand, fetch: fetchMeter, ...given };
}
