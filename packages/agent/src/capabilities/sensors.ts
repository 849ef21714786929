import type { EnergyCapability, TimeService } from '@mqttlab/shared/domain/devices/capabilities';
import { type DeviceSettings, noDeviceSettings } from '@mqttlab/shared/messages/device-settings';
import { runCommand } from '../children/programs.ts';
import { makeEnergyEnvironment, probeEnergy } from '../energy/energy-sources.ts';
import { systemClock } from '../pacing/clock.ts';
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
export interface Sensors {
  /** Energy sources and what was said about them, as of now. */
  readonly power: PowerSensors;
  /** Looks for energy sources anew where the server says something else than before. */
  follow(settings: DeviceSettings): Promise<void>;
  perfRefusal: string | null;
  throttling: ThrottlingSource | null;
  /** As it was a short while ago. */
  timeService(): TimeService | null;
}

export interface PowerSensors
  extends Pick<SensorOptions, 'meterUrl' | 'supplyVolts'>,
    Pick<DeviceSettings, 'energySource' | 'batteryMah'> {
  /** Those that answer, the best first. */
  found: readonly EnergyCapability[];
}

const timeServiceMs = 60_000;

/** Asks everything that may answer, all at once; at most a few seconds. */
export async function probeSensors(options: SensorOptions): Promise<Sensors> {
  const { sysRoot } = options;
  let followed = JSON.stringify(noDeviceSettings);
  let power: PowerSensors;
  const [first, perfRefusal, throttling, timeService] = await Promise.all([
    probePower(options, noDeviceSettings),
    probePerf(sysRoot, runCommand),
    findThrottlingSource(sysRoot, runCommand),
    watchTimeService(),
  ]);
  power = first;
  return {
    get power() {
      return power;
    },
    async follow(settings) {
      const wanted = JSON.stringify(settings);
      if (wanted === followed) return;
      power = await probePower(options, settings);
      followed = wanted;
    },
    perfRefusal,
    throttling,
    timeService,
  };
}

/** What the server says goes before what the agent was started with. */
async function probePower(options: SensorOptions, settings: DeviceSettings): Promise<PowerSensors> {
  const { procRoot, sysRoot } = options;
  const meterUrl = settings.meterUrl ?? options.meterUrl;
  const environment = makeEnergyEnvironment({
    clock: systemClock,
    procRoot,
    sysRoot,
    meterUrl,
    interfaceNames: [],
  });
  return {
    meterUrl,
    supplyVolts: settings.supplyVolts ?? options.supplyVolts,
    energySource: settings.energySource,
    batteryMah: settings.batteryMah,
    found: await probeEnergy(environment),
  };
}

/** Asking starts a program or two: not for every Run anew, and nobody waits for the answer but the first. */
async function watchTimeService(): Promise<Sensors['timeService']> {
  let latest = await readTimeService(runCommand);
  let askedAt = Date.now();
  return () => {
    if (Date.now() - askedAt > timeServiceMs) {
      askedAt = Date.now();
      readTimeService(runCommand).then(
        (service) => {
          latest = service;
        },
        // What was known before holds; it is asked for again later.
        () => {},
      );
    }
    return latest;
  };
}
