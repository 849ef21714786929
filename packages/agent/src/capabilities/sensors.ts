import type { EnergyCapability, TimeService } from '@mqttlab/shared/domain/capabilities';
import { systemClock } from '../clock.ts';
import { makeEnergyEnvironment } from '../energy/energy-environment.ts';
import { probeEnergy } from '../energy/probe-energy.ts';
import { runCommand } from '../run-command.ts';
import { probePerf } from '../sampling/perf-counters.ts';
import { findThrottlingSource, type ThrottlingSource } from '../sampling/throttling.ts';
import { readTimeService } from './time-service.ts';

export interface SensorOptions {
  procRoot: string;
  sysRoot: string;
  /** Of a meter on the network; null where there is none. */
  meterUrl: string | null;
  /** Of the supply, V; null where nobody said. */
  supplyVolts: number | null;
}

/** What this device can tell about itself beside the load. */
export interface Sensors extends Pick<SensorOptions, 'meterUrl' | 'supplyVolts'> {
  energy: readonly EnergyCapability[];
  perfRefusal: string | null;
  throttling: ThrottlingSource | null;
  /** As it was a short while ago. */
  timeService(): TimeService | null;
}

const timeServiceMs = 60_000;

/** Asks everything that may answer, all at once; at most a few seconds. */
export async function probeSensors(options: SensorOptions): Promise<Sensors> {
  const { procRoot, sysRoot, meterUrl, supplyVolts } = options;
  const environment = makeEnergyEnvironment({
    ...{ clock: systemClock, procRoot, sysRoot, meterUrl },
    interfaceNames: [],
  });
  const [energy, perfRefusal, throttling, timeService] = await Promise.all([
    probeEnergy(environment),
    probePerf(sysRoot, runCommand),
    findThrottlingSource(sysRoot, runCommand),
    watchTimeService(),
  ]);
  return { meterUrl, supplyVolts, energy, perfRefusal, throttling, timeService };
}

/** Asking starts a program or two: not for every Run anew, and nobody waits for the answer but the first. */
async function watchTimeService(): Promise<Sensors['timeService']> {
  let latest = await readTimeService(runCommand);
  let askedAt = Date.now();
  return () => {
    if (Date.now() - askedAt > timeServiceMs) {
      askedAt = Date.now();
      void readTimeService(runCommand).then((service) => {
        latest = service;
      });
    }
    return latest;
  };
}
