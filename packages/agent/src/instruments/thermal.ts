import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { listFolder, readText } from '../processes/files.ts';
import type { RunCommand } from '../processes/programs.ts';
import type { MakeInstrument, ThrottlingReading, ThrottlingSource } from './instrument.ts';
import { type Collector, ProcFile } from './sampler.ts';

/** Temperature and clock frequency of the processor. */
export const temperature: MakeInstrument = ({ device: { sysRoot } }) => ({
  name: 'device',
  collectors: () => [
    ['slow', makeTemperatureCollector(sysRoot)],
    ['slow', makeFrequencyCollector(sysRoot)],
  ],
});

/** Detects whether the device is throttled. */
export const throttling: MakeInstrument = ({ device: { sensors } }) => {
  let watch: ThrottlingWatch | null = null;
  return {
    name: 'throttling',
    start: () => {
      watch = sensors.throttling && new ThrottlingWatch(sensors.throttling);
      watch?.start();
    },
    stop: () => watch?.stop(),
    contribute: () => ({
      environment: watch?.facts() ?? { 'throttling.source': null },
      degraded: watch?.trouble ? [{ collector: 'throttling', reason: watch.trouble }] : [],
    }),
  };
};

/** Names that Linux assigns to the processor's thermal zones and chips. */
const processorNames = /cpu|soc|x86_pkg_temp|coretemp|k10temp/i;

/**
 * Collects 'temperature.cpu' in °C from the processor's thermal zone or hwmon chip (Linux:
 * Documentation/driver-api/thermal and Documentation/hwmon/sysfs-interface). Returns null if the device has
 * neither.
 */
export function makeTemperatureCollector(sysRoot: string): Collector | null {
  const path = findThermalZone(sysRoot) ?? findHwmonChip(sysRoot);
  if (path === null) return null;
  const file = new ProcFile(path, 64);
  return {
    name: 'temperature',
    metrics: [{ metric: 'temperature.cpu', unit: '°C' }],
    read: () => {
      const millidegrees = Number(file.read());
      if (!Number.isFinite(millidegrees)) throw new Error(`${path} is not a number`);
      return [millidegrees / 1_000];
    },
    close: () => file.close(),
  };
}

/**
 * Collects 'frequency.policy0' and so on in MHz, one for each group of cores with a common clock. Returns
 * null without cpufreq.
 */
export function makeFrequencyCollector(sysRoot: string): Collector | null {
  const root = join(sysRoot, 'devices/system/cpu/cpufreq');
  const policies = listFolder(root).filter((name) => /^policy\d+$/.test(name));
  const files = policies.flatMap((name) => {
    const path = join(root, name, 'scaling_cur_freq');
    return readText(path) === null ? [] : [{ name, file: new ProcFile(path, 64) }];
  });
  if (files.length === 0) return null;
  return {
    name: 'frequency',
    metrics: files.map(({ name }) => ({ metric: `frequency.${name}`, unit: 'MHz' })),
    read: () =>
      files.map(({ file }) => {
        const kilohertz = Number(file.read());
        return Number.isFinite(kilohertz) ? kilohertz / 1_000 : null;
      }),
    close: () => {
      for (const { file } of files) file.close();
    },
  };
}

function findThermalZone(sysRoot: string): string | null {
  const root = join(sysRoot, 'class/thermal');
  const zones = listFolder(root).filter((name) => name.startsWith('thermal_zone'));
  const zone =
    zones.find((name) => processorNames.test(readText(join(root, name, 'type')) ?? '')) ?? zones[0];
  return zone === undefined ? null : join(root, zone, 'temp');
}

function findHwmonChip(sysRoot: string): string | null {
  const root = join(sysRoot, 'class/hwmon');
  const chip = listFolder(root).find((name) => processorNames.test(readText(join(root, name, 'name')) ?? ''));
  return chip === undefined ? null : join(root, chip, 'temp1_input');
}

/**
 * Bits of `vcgencmd get_throttled` for the current state; the same bits shifted by 16 for the time since
 * boot.
 */
export const sinceBoot = ' since boot';
const piFlags = ['under-voltage', 'frequency capped', 'throttled', 'soft temperature limit'];

/** Returns the first throttling source that this device supports; null if it supports none. */
export async function findThrottlingSource(
  sysRoot: string,
  runCommand: RunCommand,
): Promise<ThrottlingSource | null> {
  const candidates = [
    firmwareFile(sysRoot),
    firmwareProgram(runCommand),
    kernelCounters(sysRoot),
    voltageAlarm(sysRoot),
  ];
  for (const source of candidates) {
    try {
      await source.read();
      return source;
    } catch {
      // This device has another source, or none.
    }
  }
  return null;
}

function firmwareFile(sysRoot: string): ThrottlingSource {
  const path = join(sysRoot, 'devices/platform/soc/soc:firmware/get_throttled');
  return {
    name: 'firmware (get_throttled)',
    everyMs: 1_000,
    read: async () => parsePiFlags(readFileSync(path, 'utf8')),
  };
}

function firmwareProgram(runCommand: RunCommand): ThrottlingSource {
  return {
    name: 'vcgencmd get_throttled',
    everyMs: 5_000,
    read: async () =>
      parsePiFlags((await runCommand('vcgencmd', ['get_throttled'])).replace(/^throttled=/, '')),
  };
}

/** Throws if the text is not a number from the firmware. States since boot have a bit, but no count. */
export function parsePiFlags(text: string): ThrottlingReading {
  const digits = /^(?:0x)?([0-9a-f]{1,8})$/i.exec(text.trim())?.[1];
  if (digits === undefined) throw new Error(`get_throttled says "${text.trim().slice(0, 40)}"`);
  const bits = Number.parseInt(digits, 16);
  return {
    active: piFlags.flatMap((flag, bit) => [
      ...(bits & (1 << bit) ? [flag] : []),
      ...(bits & (1 << (bit + 16)) ? [`${flag}${sinceBoot}`] : []),
    ]),
    count: null,
  };
}

/**
 * Reads, on x86, how often each core and package was too hot (Linux:
 * Documentation/ABI/testing/sysfs-devices-system-cpu).
 */
function kernelCounters(sysRoot: string): ThrottlingSource {
  const root = join(sysRoot, 'devices/system/cpu');
  return {
    name: 'thermal_throttle of the kernel',
    everyMs: 1_000,
    read: async () => {
      const cores = readdirSync(root).filter((name) => /^cpu\d+$/.test(name));
      const counts = cores.map((core) =>
        Number(readFileSync(join(root, core, 'thermal_throttle/core_throttle_count'), 'utf8')),
      );
      if (counts.length === 0) throw new Error('no cores');
      return { active: [], count: counts.reduce((sum, count) => sum + count, 0) };
    },
  };
}

/**
 * Reads the hwmon driver raspberrypi-hwmon: 1 if the supply voltage is too low, or was too low since the last
 * reading.
 */
function voltageAlarm(sysRoot: string): ThrottlingSource {
  const root = join(sysRoot, 'class/hwmon');
  return {
    name: 'voltage alarm (rpi_volt)',
    everyMs: 1_000,
    read: async () => {
      const chip = readdirSync(root).find((name) => {
        return readFileSync(join(root, name, 'name'), 'utf8').trim() === 'rpi_volt';
      });
      if (chip === undefined) throw new Error('no rpi_volt');
      const alarm = readFileSync(join(root, chip, 'in0_lcrit_alarm'), 'utf8').trim();
      return { active: alarm === '1' ? ['under-voltage'] : [], count: null };
    },
  };
}

/** Collects the events between the first and the last of several readings. */
export class ThrottlingLog {
  readonly #flags = new Set<string>();
  #events = 0;
  #last: ThrottlingReading | null = null;

  add(reading: ThrottlingReading): void {
    const before = this.#last;
    this.#last = reading;
    for (const flag of reading.active) {
      // Bits that were set before the run stay set until the next boot, and are not events in the run.
      const name = flag.replace(sinceBoot, '');
      const isOld = before === null ? flag !== name : before.active.includes(flag);
      // Counts one event, whether the state was active during a reading or only recorded since boot.
      if (isOld || (flag !== name && this.#flags.has(name))) continue;
      this.#events += 1;
      this.#flags.add(name);
    }
    if (before?.count !== undefined && before.count !== null && reading.count !== null) {
      const more = Math.max(0, reading.count - before.count);
      this.#events += more;
      if (more > 0) this.#flags.add('too hot');
    }
  }

  facts(): { 'throttling.events': number; 'throttling.flags': string } {
    return { 'throttling.events': this.#events, 'throttling.flags': [...this.#flags].join(', ') };
  }
}

/** Checks periodically whether the device is throttled. No method rejects. */
class ThrottlingWatch {
  readonly #source: ThrottlingSource;
  readonly #log = new ThrottlingLog();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #trouble: string | null = null;

  constructor(source: ThrottlingSource) {
    this.#source = source;
  }

  start(): void {
    if (this.#timer !== null) return;
    this.#check();
    this.#timer = setInterval(() => this.#check(), this.#source.everyMs);
  }

  /** Performs a last check; idempotent. */
  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#check();
    await this.#looking;
  }

  facts() {
    return { 'throttling.source': this.#source.name, ...this.#log.facts() };
  }

  /** Reason why the checks stopped; null if all succeeded. */
  get trouble(): string | null {
    return this.#trouble;
  }

  #check(): void {
    this.#looking = this.#looking.then(async () => {
      try {
        this.#log.add(await this.#source.read());
      } catch (error) {
        this.#trouble ??= reasonOf(error);
      }
    });
  }
}
