import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { EnergyEnvironment } from './energy-source.ts';

const timeoutMs = 2_000;

/** This device as the energy sources see it. A program that hangs is ended after two seconds. */
export function makeEnergyEnvironment(
  given: Pick<EnergyEnvironment, 'clock' | 'meterUrl' | 'interfaceNames'>,
): EnergyEnvironment {
  return {
    sysRoot: '/sys',
    procRoot: '/proc',
    runCommand: async (program, args) => {
      const { stdout } = await promisify(execFile)(program, [...args], { timeout: timeoutMs });
      return stdout;
    },
    fetch: globalThis.fetch,
    ...given,
  };
}
