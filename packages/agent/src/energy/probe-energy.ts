import type { EnergyCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { Availability, EnergyEnvironment, EnergySourceDefinition } from './energy-source.ts';
import { energySources } from './energy-sources.ts';

const timeoutMs = 3_000;

/** Every source that answers on this device, the best first; one that does not answer in time is not there. */
export async function probeEnergy(
  environment: EnergyEnvironment,
  sources: readonly EnergySourceDefinition[] = energySources,
): Promise<EnergyCapability[]> {
  const wanted = sources.filter(({ needsAddress }) => !needsAddress || environment.meterUrl !== null);
  const found = await Promise.all(
    wanted.map(async (definition) => {
      const availability = await inTime(definition.make(environment).probe());
      if (availability?.available !== true) return [];
      const { id, label, quality } = definition;
      return [{ id, label, quality, detail: availability.detail }];
    }),
  );
  return found.flat();
}

async function inTime(probe: Promise<Availability>): Promise<Availability | null> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs);
  });
  try {
    return await Promise.race([probe, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
