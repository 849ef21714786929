import { join } from 'node:path';
import { listFolder, readText } from '../base/kernel-files.ts';
import { type Collector, ProcFile, RateOfCounter } from './collector.ts';

const usPerSecond = 1e6;

/** 'network.rx' and 'network.tx': bytes per second through one interface, everything on it counted. */
export function makeNetworkCollector(sysRoot: string, interfaceName: string): Collector {
  const folder = join(sysRoot, 'class/net', interfaceName, 'statistics');
  const counters = ['rx_bytes', 'tx_bytes'].map((name) => ({
    file: new ProcFile(join(folder, name), 64),
    rate: new RateOfCounter(),
  }));
  return {
    name: 'network',
    metrics: [
      { metric: 'network.rx', unit: 'B/s' },
      { metric: 'network.tx', unit: 'B/s' },
    ],
    read: (nowUs) =>
      counters.map(({ file, rate }) => {
        const perUs = rate.next(Number.parseInt(file.read(), 10), nowUs);
        // A 32-bit counter that wrapped, or an interface that was reset: no value rather than a wrong one.
        return perUs === null || perUs < 0 ? null : perUs * usPerSecond;
      }),
    close: () => {
      for (const { file } of counters) file.close();
    },
  };
}

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
