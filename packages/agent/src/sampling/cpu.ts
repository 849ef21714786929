import { join } from 'node:path';
import { type Collector, makeCollector, ProcFile, RateOfCounter } from './collector.ts';
import type { CpuTime } from './process-group.ts';

/**
 * 'cpu.process': CPU of the MQTT processes of a role in % of one core; more than 100 when several threads work.
 * 'cpu.helpers': of those that only serve the measuring.
 */
export function makeProcessCpuCollector(
  time: CpuTime,
  metric: 'cpu.process' | 'cpu.helpers' = 'cpu.process',
): Collector {
  const rate = new RateOfCounter();
  return makeCollector(metric, '%', {
    read: (nowUs) => toPercent(rate.next(time.readUs(), nowUs)),
    close: () => time.close(),
  });
}

/** 'cpu.agent': CPU of this very process, in % of one core. */
export function makeAgentCpuCollector(
  readUsage: () => NodeJS.CpuUsage = () => process.cpuUsage(),
): Collector {
  const rate = new RateOfCounter();
  return makeCollector('cpu.agent', '%', {
    read: (nowUs) => {
      const { user, system } = readUsage();
      return toPercent(rate.next(user + system, nowUs));
    },
  });
}

/** The lines of all cores together come first in /proc/stat; each has at most ten numbers of twenty digits. */
const bytesPerLine = 220;
/** A machine with more cores tells them all together only. */
const maxCores = 64;

/** 'cpu.device': busy share of the whole device in %, all cores together; 'cpu.core0' ...: of each core. */
export function makeDeviceCpuCollector(procRoot: string): Collector {
  const path = join(procRoot, 'stat');
  const cores = namesOfCores(path);
  const file = new ProcFile(path, bytesPerLine * (cores.length + 1));
  const shares = [new BusyShare('cpu'), ...cores.map((name) => new BusyShare(name))];
  return {
    name: 'cpu.device',
    metrics: [
      { metric: 'cpu.device', unit: '%' },
      ...cores.map((name) => ({ metric: `cpu.${name.replace('cpu', 'core')}`, unit: '%' })),
    ],
    read: () => {
      const lines = file.read().split('\n');
      if (!lines[0]?.startsWith('cpu ')) throw new Error('/proc/stat has no line for all cores');
      return shares.map((share, index) => share.next(lineOf(lines, share.name, index)));
    },
    close: () => file.close(),
  };
}

function namesOfCores(path: string): string[] {
  const file = new ProcFile(path, bytesPerLine * (maxCores + 2));
  try {
    const names = [...file.read().matchAll(/^(cpu\d+) /gm)].map(([, name]) => name ?? '');
    return names.length > maxCores ? [] : names;
  } catch {
    return [];
  } finally {
    file.close();
  }
}

/** Usually the line at its own place; not where a core was switched off meanwhile. */
function lineOf(lines: readonly string[], name: string, index: number): string | undefined {
  const usual = lines[index];
  if (usual?.startsWith(`${name} `)) return usual;
  return lines.find((line) => line.startsWith(`${name} `));
}

/** Busy share between two lines of /proc/stat (proc_stat(5)), %. */
class BusyShare {
  readonly name: string;
  #last: { busy: number; total: number } | null = null;

  constructor(name: string) {
    this.name = name;
  }

  /** null at the first reading, without progress, and while the core is off. */
  next(line: string | undefined): number | null {
    const now = line === undefined ? null : parseTicks(line);
    const before = this.#last;
    this.#last = now;
    if (before === null || now === null || now.total <= before.total) return null;
    return (100 * (now.busy - before.busy)) / (now.total - before.total);
  }
}

/** Waiting for disks and stolen time are not this device's work. */
function parseTicks(line: string): { busy: number; total: number } {
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
    .slice(line.indexOf(' '))
    .trim()
    .split(' ')
    .map(Number);
  const busy = user + nice + system + irq + softirq;
  const total = busy + idle + iowait + steal;
  if (!Number.isFinite(total)) throw new Error(`/proc/stat says "${line.slice(0, 40)}"`);
  return { busy, total };
}

function toPercent(rate: number | null): number | null {
  return rate === null ? null : Math.max(0, rate * 100);
}
