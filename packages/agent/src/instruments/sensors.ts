import type { TimeService } from '@mqttlab/shared/domain/devices/capabilities';
import { type DeviceSettings, noDeviceSettings } from '@mqttlab/shared/messages/device-settings';
import { systemClock } from '../load/pacing/clock.ts';
import { type RunCommand, runCommand } from '../processes/programs.ts';
import { makeEnergyEnvironment, probeEnergy } from './energy/energy-sources.ts';
import type { PowerSensors, Sensors } from './instrument.ts';
import { probePerf } from './perf-counters.ts';
import { findThrottlingSource } from './thermal.ts';

export interface SensorOptions {
  procRoot: string;
  sysRoot: string;
  /** Address of a meter on the network; null if there is no meter. */
  meterUrl: string | null;
  /** Supply voltage in V; null if unknown. */
  supplyVolts: number | null;
}

const timeServiceMs = 60_000;

/** Queries all sensors in parallel; takes at most a few seconds. */
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

/**
 * Detects energy sources. Settings from the server override the settings with which the agent was started.
 */
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

/**
 * Queries the time service at most once a minute, because a query starts one or two programs. Awaits only the
 * first result.
 */
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
        // The earlier value remains; the next query follows a minute later.
        () => {},
      );
    }
    return latest;
  };
}

/**
 * Returns the program that synchronises this device's wall clock; null if none is found. Bounded by
 * `runCommand`.
 */
export async function readTimeService(runCommand: RunCommand): Promise<TimeService | null> {
  return (await askChrony(runCommand)) ?? (await askNtpd(runCommand)) ?? (await askSystemd(runCommand));
}

/**
 * Reads the output of chronyc(1) -c tracking: fields 5 offset, 11 root delay and 12 root dispersion in s, 14
 * leap status.
 */
async function askChrony(runCommand: RunCommand): Promise<TimeService | null> {
  const fields = (await output(runCommand, 'chronyc', ['-c', 'tracking']))?.trim().split(',') ?? [];
  if (fields.length < 14) return null;
  const [offset, delay, dispersion] = [fields[4], fields[10], fields[11]].map(Number);
  const errorS = Math.abs(offset ?? Number.NaN) + (delay ?? Number.NaN) / 2 + (dispersion ?? Number.NaN);
  const synchronised = fields[13] !== 'Not synchronised';
  return {
    service: 'chrony',
    synchronised,
    estimatedErrorMs: synchronised && Number.isFinite(errorS) ? errorS * 1_000 : null,
  };
}

/**
 * Reads the output of ntpq(1) -c rv: offset, rootdelay and rootdisp in ms; leap is 11 (alarm) until it is
 * synchronised.
 */
async function askNtpd(runCommand: RunCommand): Promise<TimeService | null> {
  const text = await output(runCommand, 'ntpq', ['-c', 'rv 0 offset,rootdelay,rootdisp,leap']);
  const value = (name: string) => new RegExp(`\\b${name}=([-+.\\d]+)`).exec(text ?? '')?.[1];
  const leap = value('leap');
  if (leap === undefined) return null;
  const errorMs =
    Math.abs(Number(value('offset'))) + Number(value('rootdelay')) / 2 + Number(value('rootdisp'));
  const synchronised = leap !== '11';
  return {
    service: 'ntpd',
    synchronised,
    estimatedErrorMs: synchronised && Number.isFinite(errorMs) ? errorMs : null,
  };
}

/**
 * Reads the output of timedatectl(1), which states whether a service, or the kernel's adjtimex(2) state,
 * reports synchronisation.
 */
async function askSystemd(runCommand: RunCommand): Promise<TimeService | null> {
  const text = await output(runCommand, 'timedatectl', ['show']);
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text ?? '')?.[1];
  const synchronised = value('NTPSynchronized');
  if (synchronised === undefined) return null;
  return {
    service: value('NTP') === 'yes' ? 'systemd-timesyncd' : 'unknown',
    synchronised: synchronised === 'yes',
    estimatedErrorMs: null,
  };
}

async function output(
  runCommand: RunCommand,
  program: string,
  args: readonly string[],
): Promise<string | null> {
  try {
    return await runCommand(program, args);
  } catch {
    // Not installed, not running or no response: try the next program.
    return null;
  }
}
