import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { readText } from '../../../processes/files.ts';
import { makeDeviceCpuCollector } from '../../cpu.ts';
import type { Collector } from '../../sampler.ts';
import {
  type EnergyEnvironment,
  type EnergyProblem,
  type EnergySource,
  type EnergySourceDefinition,
  estimatePowerW,
  isAvailable,
  type LinkMedium,
  makeSample,
  type PowerModel,
  raspberryPi4B,
  readSensorFile,
} from '../energy-source.ts';

type LinkBytes = Record<LinkMedium, number>;

const noTraffic: LinkBytes = { wifi: 0, ethernet: 0 };

export const model: EnergySourceDefinition = {
  id: 'model-raspberry-pi-4b',
  label: `Estimate for a ${raspberryPi4B.board}`,
  quality: 'modelled',
  covers: `an estimate from CPU and traffic, regardless of the machine. ${raspberryPi4B.source}`,
  needsAddress: false,
  minIntervalMs: 100,
  model: raspberryPi4B,
  make: (environment) => makeModelSource(environment, raspberryPi4B),
};

/**
 * Reads the CPU time and the byte counters of the interfaces; power is the mean since the previous sample.
 */
function makeModelSource(environment: EnergyEnvironment, power: PowerModel): EnergySource {
  const { clock, procRoot } = environment;
  let cpu: Collector | null = null;
  let last: { atUs: number; bytes: LinkBytes } | null = null;
  let totalJ = 0;
  let cores = 0;

  const close = () => {
    cpu?.close();
    cpu = null;
    last = null;
    totalJ = 0;
  };
  const readPowerW = (atUs: number): number | EnergyProblem | null => {
    const bytes = readLinkBytes(environment);
    if ('code' in bytes) return bytes;
    cpu ??= makeDeviceCpuCollector(procRoot);
    cores ||= countCores(procRoot);
    const before = last;
    let busyPercent: number | null | undefined;
    try {
      [busyPercent] = cpu.read(atUs);
    } catch (error) {
      return { code: 'vanished', message: reasonOf(error) };
    }
    if (before === null) last = { atUs, bytes };
    // The kernel's clock has not advanced yet; the next reading covers this interval.
    if (before === null || busyPercent === null || busyPercent === undefined || atUs <= before.atUs)
      return null;
    last = { atUs, bytes };
    const busyCores = (busyPercent / 100) * cores;
    const mbitPerSecond = ratesOf(before, last);
    if (mbitPerSecond !== null) return estimatePowerW(power, { busyCores, mbitPerSecond });
    // The energy of the cores is still valid; without it, every later sum would be too small.
    totalJ += estimatePowerW(power, { busyCores, mbitPerSecond: noTraffic }) * ((atUs - before.atUs) / 1e6);
    return { code: 'nonsense', message: 'a byte counter of the network interface decreased' };
  };

  return {
    async probe() {
      const found = readPowerW(clock.nowUs());
      close();
      return isAvailable(found === null || typeof found === 'number' ? power.board : found);
    },
    start: async () => close(),
    async sample() {
      const atUs = clock.nowUs();
      const sinceUs = last?.atUs ?? atUs;
      const found = readPowerW(atUs);
      if (found !== null && typeof found !== 'number') return makeSample(atUs, found);
      // The mean since the previous sample gives the exact energy; a trapezoid would be half a step late.
      totalJ += (found ?? 0) * ((atUs - sinceUs) / 1e6);
      return { atUs, powerW: found, energyJ: totalJ, problem: null };
    },
    stop: async () => close(),
  };
}

function readLinkBytes({ sysRoot, interfaceNames }: EnergyEnvironment): LinkBytes | EnergyProblem {
  const bytes = { wifi: 0, ethernet: 0 };
  for (const name of interfaceNames.filter((candidate) => candidate !== 'lo')) {
    const folder = join(sysRoot, 'class/net', name);
    const medium = existsSync(join(folder, 'wireless')) ? 'wifi' : 'ethernet';
    for (const counter of ['rx_bytes', 'tx_bytes']) {
      const value = readSensorFile(join(folder, 'statistics', counter));
      if (typeof value !== 'number') return value;
      bytes[medium] += value;
    }
  }
  return bytes;
}

/** Returns null if a counter decreased. */
function ratesOf(
  before: { atUs: number; bytes: LinkBytes },
  now: { atUs: number; bytes: LinkBytes },
): LinkBytes | null {
  const rate = (medium: LinkMedium) =>
    ((now.bytes[medium] - before.bytes[medium]) * 8) / (now.atUs - before.atUs);
  const rates = { wifi: rate('wifi'), ethernet: rate('ethernet') };
  return rates.wifi >= 0 && rates.ethernet >= 0 ? rates : null;
}

function countCores(procRoot: string): number {
  return Math.max(1, readText(join(procRoot, 'stat'))?.match(/^cpu\d+ /gm)?.length ?? 1);
}
