import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MakeInstrument } from './instrument.ts';
import { type Collector, makeCollector, ProcFile, RateOfCounter, readOr } from './sampler.ts';

/** Threads rarely start or exit: at 10 Hz they are listed once a second. */
const listThreadsEvery = 10;

/** CPU time of the MQTT processes. */
export const processCpu: MakeInstrument = ({ device: { procRoot } }) => ({
  name: 'device',
  collectors: ({ pids }) => [['trial', makeGroupCollector(procRoot, pids, 'cpu.process')]],
});

/** CPU time of helper processes, the entire device and the agent. */
export const deviceCpu: MakeInstrument = ({ device: { procRoot } }) => ({
  name: 'device',
  collectors: ({ helpers }) => [
    ['trial', makeGroupCollector(procRoot, helpers, 'cpu.helpers')],
    ['trial', makeDeviceCpuCollector(procRoot)],
    ['trial', makeAgentCpuCollector()],
  ],
});

function makeGroupCollector(
  procRoot: string,
  pids: readonly number[],
  metric: 'cpu.process' | 'cpu.helpers',
): Collector | null {
  if (pids.length === 0) return null;
  return makeProcessCpuCollector(new ProcessGroupCpuTime(procRoot, pids, listThreadsEvery), metric);
}

/**
 * Collects 'cpu.process': the CPU time of a role's MQTT processes in % of one core; more than 100 with
 * several active threads. 'cpu.helpers': CPU time of the processes that only serve the measurement.
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

/** Collects 'cpu.agent', the CPU time of this process in % of one core. */
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

/**
 * The lines for all cores are at the beginning of /proc/stat. Each has at most ten numbers of twenty digits.
 */
const bytesPerLine = 220;
/** On machines with more cores, only the total is reported. */
const maxCores = 64;

/**
 * Collects 'cpu.device', the busy share of the device over all cores in %, and 'cpu.core0' and so on for each
 * core. On a virtual machine also 'cpu.stolen': share of all cores in % that the host used for others while
 * this machine had work.
 */
export function makeDeviceCpuCollector(procRoot: string): Collector {
  const path = join(procRoot, 'stat');
  const cores = namesOfCores(path);
  const file = new ProcFile(path, bytesPerLine * (cores.length + 1));
  const stolen = wasStolenFrom(path) ? [new TickShare('cpu', 'stolen')] : [];
  const shares = [new TickShare('cpu'), ...cores.map((name) => new TickShare(name)), ...stolen];
  return {
    name: 'cpu.device',
    metrics: [
      { metric: 'cpu.device', unit: '%' },
      ...cores.map((name) => ({ metric: `cpu.${name.replace('cpu', 'core')}`, unit: '%' })),
      ...stolen.map(() => ({ metric: 'cpu.stolen', unit: '%' })),
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

/** Returns false on physical hardware, and if the file cannot be read. */
function wasStolenFrom(path: string): boolean {
  const file = new ProcFile(path, bytesPerLine);
  try {
    return parseTicks(file.read().split('\n')[0] ?? '').stolen > 0;
  } catch {
    return false;
  } finally {
    file.close();
  }
}

/**
 * Returns a core's line, which is usually at the expected index, but not if a core was switched off
 * meanwhile.
 */
function lineOf(lines: readonly string[], name: string, index: number): string | undefined {
  const usual = lines[index];
  if (usual?.startsWith(`${name} `)) return usual;
  return lines.find((line) => line.startsWith(`${name} `));
}

interface Ticks {
  busy: number;
  stolen: number;
  total: number;
}

/** Returns the busy or stolen share between two lines of /proc/stat (proc_stat(5)), in %. */
class TickShare {
  readonly name: string;
  readonly #kind: 'busy' | 'stolen';
  #last: Ticks | null = null;

  constructor(name: string, kind: 'busy' | 'stolen' = 'busy') {
    this.name = name;
    this.#kind = kind;
  }

  /**
   * Returns the share; null at the first reading, if the counters have not advanced, and while the core is
   * off.
   */
  next(line: string | undefined): number | null {
    const now = line === undefined ? null : parseTicks(line);
    const before = this.#last;
    this.#last = now;
    if (before === null || now === null || now.total <= before.total) return null;
    return (100 * (now[this.#kind] - before[this.#kind])) / (now.total - before.total);
  }
}

/** Parses the ticks. Time spent waiting for disks and stolen time do not count as work of this device. */
function parseTicks(line: string): Ticks {
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
    .slice(line.indexOf(' '))
    .trim()
    .split(' ')
    .map(Number);
  const busy = user + nice + system + irq + softirq;
  const total = busy + idle + iowait + steal;
  if (!Number.isFinite(total)) throw new Error(`/proc/stat says "${line.slice(0, 40)}"`);
  return { busy, stolen: steal, total };
}

function toPercent(rate: number | null): number | null {
  return rate === null ? null : Math.max(0, rate * 100);
}

/** CPU time of a source that can be read repeatedly. */
export interface CpuTime {
  /** Returns user and system time in µs; throws the system's error if it cannot be read. */
  readUs(): number;
  close(): void;
}

/**
 * Total CPU time of a process and its helpers. The first process must be alive; a helper that has exited
 * keeps its last value.
 */
export class ProcessGroupCpuTime implements CpuTime {
  readonly #first: ProcessCpuTime;
  readonly #others: { time: ProcessCpuTime; lastUs: number }[];

  /** Must contain at least one pid. */
  constructor(procRoot: string, [first = 0, ...others]: readonly number[], lookEvery = 1) {
    this.#first = new ProcessCpuTime(procRoot, first, lookEvery);
    this.#others = others.map((pid) => ({ time: new ProcessCpuTime(procRoot, pid, lookEvery), lastUs: 0 }));
  }

  readUs(): number {
    let totalUs = this.#first.readUs();
    for (const other of this.#others) {
      other.lastUs = readOr(() => other.time.readUs(), other.lastUs);
      totalUs += other.lastUs;
    }
    return totalUs;
  }

  close(): void {
    this.#first.close();
    for (const { time } of this.#others) time.close();
  }
}

/** USER_HZ, the unit of /proc/<pid>/stat: 100 on every Linux on which Node runs. */
const tickUs = 10_000;

/**
 * User and system CPU time of a process, including threads that have exited. Read from schedstat of each
 * thread (first field, ns), or from utime and stime of /proc/<pid>/stat if the kernel has no schedstat
 * (proc_pid_stat(5)).
 */
export class ProcessCpuTime {
  readonly #folder: string;
  readonly #lookEvery: number;
  #readings = 0;
  readonly #threads = new Map<string, { file: ProcFile; lastUs: number }>();
  #stat: ProcFile | null = null;

  /**
   * Threads are listed at every `lookEvery`-th reading. The time of a new thread is counted from its start,
   * so that no time is lost and only its position is slightly inaccurate.
   */
  constructor(procRoot: string, pid: number, lookEvery = 1) {
    this.#folder = join(procRoot, String(pid));
    this.#lookEvery = lookEvery;
  }

  /** Returns µs since the process started; throws the system's error after the process has exited. */
  readUs(): number {
    if (this.#stat !== null) return parseStatUs(this.#stat.read());
    const looks = this.#readings % this.#lookEvery === 0;
    this.#readings += 1;
    const living = looks ? readdirSync(join(this.#folder, 'task')) : this.#threads.keys();
    for (const thread of living) {
      if (!this.#readThread(thread)) return this.#fallBack();
    }
    let totalUs = 0;
    for (const { lastUs } of this.#threads.values()) totalUs += lastUs;
    return totalUs;
  }

  close(): void {
    for (const { file } of this.#threads.values()) file.close();
    this.#stat?.close();
    this.#threads.clear();
    this.#stat = null;
  }

  /** Returns false if this kernel has no schedstat. */
  #readThread(thread: string): boolean {
    const path = join(this.#folder, 'task', thread, 'schedstat');
    const known = this.#threads.get(thread) ?? { file: new ProcFile(path, 64), lastUs: 0 };
    try {
      known.lastUs = Number.parseInt(known.file.read(), 10) / 1_000;
    } catch {
      // A thread that has exited since the last listing keeps its last value. A kernel without schedstat has
      // no threads here.
      return this.#threads.size > 0;
    }
    // With accounting disabled, the kernel writes zeros.
    if (this.#threads.size === 0 && known.lastUs === 0) return false;
    this.#threads.set(thread, known);
    return true;
  }

  #fallBack(): number {
    this.#stat = new ProcFile(join(this.#folder, 'stat'));
    return parseStatUs(this.#stat.read());
  }
}

/** Reads fields 14 and 15, counted from the end of the name in parentheses. */
function parseStatUs(text: string): number {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  if (!Number.isFinite(ticks)) throw new Error('/proc/<pid>/stat has no utime and stime');
  return ticks * tickUs;
}
