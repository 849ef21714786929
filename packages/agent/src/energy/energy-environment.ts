import { runCommand } from '../runs/run-command.ts';
import type { EnergyEnvironment } from './energy-source.ts';
import { fetchMeter } from './sources/fetch-meter.ts';

/** This device as the energy sources see it. */
export function makeEnergyEnvironment(
  given: Omit<EnergyEnvironment, 'runCommand' | 'fetch'>,
): EnergyEnvironment {
  return { runCommand, fetch: fetchMeter, ...given };
}
