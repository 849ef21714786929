import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Collector } from './collector.ts';
import { ProcFile } from './proc-file.ts';

/** Zones and chips that stand for the processor, by what Linux calls them. */
const processorNames = /cpu|soc|x86_pkg_temp|coretemp|k10temp/i;

/**
 * 'temperature.cpu' in °C: the processor's thermal zone, else its hwmon chip (Linux: Documentation/driver-api/thermal
 * and Documentation/hwmon/sysfs-interface). null where the device has neither.
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
      if (!Number.isFinite(millidegrees)) throw new Error(`${path} is no number`);
      return [millidegrees / 1_000];
    },
    close: () => file.close(),
  };
}

/** 'frequency.policy0' ... in MHz, one for each group of cores that are clocked together; null without cpufreq. */
export function makeFrequencyCollector(sysRoot: string): Collector | null {
  const root = join(sysRoot, 'devices/system/cpu/cpufreq');
  const policies = list(root).filter((name) => /^policy\d+$/.test(name));
  const files = policies.flatMap((name) => {
    const path = join(root, name, 'scaling_cur_freq');
    return read(path) === null ? [] : [{ name, file: new ProcFile(path, 64) }];
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
  const zones = list(root).filter((name) => name.startsWith('thermal_zone'));
  const zone = zones.find((name) => processorNames.test(read(join(root, name, 'type')) ?? '')) ?? zones[0];
  return zone === undefined ? null : join(root, zone, 'temp');
}

function findHwmonChip(sysRoot: string): string | null {
  const root = join(sysRoot, 'class/hwmon');
  const chip = list(root).find((name) => processorNames.test(read(join(root, name, 'name')) ?? ''));
  return chip === undefined ? null : join(root, chip, 'temp1_input');
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  } catch {
    return [];
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
