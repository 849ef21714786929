import { join } from 'node:path';
import { type Collector, RateOfCounter } from './collector.ts';
import { ProcFile } from './proc-file.ts';
import type { ProcessCpuTime } from './process-cpu-time.ts';

/** 'cpu.process': CPU of one process in % of one core; more than 100 when several threads work. */
export function makeProcessCpuCollector(time: ProcessCpuTime): Collector {
  const rate = new RateOfCounter();
  return {
    name: 'cpu.process',
    metrics: [{ metric: 'cpu.process', unit: '%' }],
    read: (nowUs) => [toPercent(rate.next(time.readUs(), nowUs))],
    close: () => time.close(),
  };
}

/** 'cpu.agent': CPU of this very process, in % of one core. */
export function makeAgentCpuCollector(
  readUsage: () => NodeJS.CpuUsage = () => process.cpuUsage(),
): Collector {
  const rate = new RateOfCounter();
  return {
    name: 'cpu.agent',
    metrics: [{ metric: 'cpu.agent', unit: '%' }],
    read: (nowUs) => {
      const { user, system } = readUsage();
      return [toPercent(rate.next(user + system, nowUs))];
    },
    close: () => {},
  };
}

/** 'cpu.device': busy share of the whole device in %, all cores together. */
export function makeDeviceCpuCollector(procRoot: string): Collector {
  const file = new ProcFile(join(procRoot, 'stat'), 512);
  let last: DeviceCpuTicks | null = null;
  return {
    name: 'cpu.device',
    metrics: [{ metric: 'cpu.device', unit: '%' }],
    read: () => {
      const now = parseDeviceCpu(file.read());
      const before = last;
      last = now;
      if (before === null || now.total <= before.total) return [null];
      return [(100 * (now.busy - before.busy)) / (now.total - before.total)];
    },
    close: () => file.close(),
  };
}

interface DeviceCpuTicks {
  busy: number;
  total: number;
}

/** The first line of /proc/stat (proc_stat(5)); waiting for disks and stolen time are not this device's work. */
function parseDeviceCpu(text: string): DeviceCpuTicks {
  const [name, ...fields] = (text.split('\n')[0] ?? '').trim().split(/\s+/);
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] =
    fields.map(Number);
  const busy = user + nice + system + irq + softirq;
  const total = busy + idle + iowait + steal;
  if (name !== 'cpu' || !Number.isFinite(total)) throw new Error('/proc/stat has no line for all cores');
  return { busy, total };
}

function toPercent(rate: number | null): number | null {
  return rate === null ? null : Math.max(0, rate * 100);
}
