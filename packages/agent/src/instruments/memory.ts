import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { readText } from '../processes/files.ts';
import type { MakeInstrument } from './instrument.ts';
import { type Collector, makeCollector, ProcFile, readOr } from './sampler.ts';

/**
 * Memory of the MQTT processes: resident and proportional as series; proportional at the end and peak as
 * facts.
 */
export const memory: MakeInstrument = ({ device: { procRoot } }) => {
  let measured: readonly number[] = [];
  let isPeakOfRun = false;
  let facts: Record<string, number | null> = {};
  return {
    name: 'device',
    collectors: ({ pids }) => [
      ['trial', pids.length === 0 ? null : makeMemoryCollector(procRoot, pids)],
      // The kernel needs half a millisecond for this value.
      ['rare', pids.length === 0 ? null : makeProportionalMemoryCollector(procRoot, pids)],
    ],
    start: (_at, { pids }) => {
      measured = pids;
      // The peaks of several processes are not simultaneous, so their sum would be wrong.
      isPeakOfRun = pids.length === 1 && forgetPeak(procRoot, pids[0] ?? 0);
    },
    stop: () => {
      const [main] = measured;
      facts = {
        'memory.proportionalBytes': readProportionalBytes(procRoot, measured),
        'memory.peakBytes': main === undefined || !isPeakOfRun ? null : readPeakBytes(procRoot, main),
      };
    },
    contribute: () => ({ environment: facts }),
  };
};

/**
 * Collects 'memory.resident', the resident set of a process and its helpers in bytes, from /proc/<pid>/statm
 * (proc_pid_statm(5)). Shared pages count for each process. The first process must be alive.
 */
export function makeMemoryCollector(procRoot: string, pids: readonly number[]): Collector {
  const pageBytes = readPageBytes(procRoot);
  const [own, ...others] = pids.map((pid) => new ProcFile(join(procRoot, String(pid), 'statm'), 128));
  const bytesIn = (file: ProcFile | undefined) => {
    const pages = Number(file?.read().split(' ')[1]);
    if (!Number.isFinite(pages)) throw new Error('/proc/<pid>/statm has no second field');
    return pages * pageBytes;
  };
  return makeCollector('memory.resident', 'B', {
    read: () => others.reduce((sum, file) => sum + readOr(() => bytesIn(file), 0), bytesIn(own)),
    close: () => {
      for (const file of [own, ...others]) file?.close();
    },
  });
}

/**
 * Collects 'memory.proportional', the proportional set size of a process and its helpers in bytes; each
 * shared page is divided by the number of its users. To calculate it, the kernel walks all their page tables.
 */
export function makeProportionalMemoryCollector(procRoot: string, pids: readonly number[]): Collector {
  return makeCollector('memory.proportional', 'B', {
    read: () => {
      const bytes = readProportionalBytes(procRoot, pids);
      if (bytes === null) throw new Error('/proc/<pid>/smaps_rollup cannot be read');
      return bytes;
    },
  });
}

/** Returns the total proportional set size in bytes; null if none can be read. */
export function readProportionalBytes(procRoot: string, pids: readonly number[]): number | null {
  const sizes = pids.flatMap((pid) => readKibibytes([procRoot, pid, 'smaps_rollup'], 'Pss') ?? []);
  return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Returns the maximum resident set since the process started, or since `forgetPeak`; null if it cannot be
 * read.
 */
export function readPeakBytes(procRoot: string, pid: number): number | null {
  return readKibibytes([procRoot, pid, 'status'], 'VmHWM');
}

/** Resets VmHWM (proc_pid_clear_refs(5), 5); returns false if that is not allowed. */
export function forgetPeak(procRoot: string, pid: number): boolean {
  try {
    writeFileSync(join(procRoot, String(pid), 'clear_refs'), '5', { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

function readKibibytes(path: readonly (string | number)[], name: string): number | null {
  const text = readText(join(...path.map(String))) ?? '';
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1_024;
}

const atPagesz = 6n;
const usualPageBytes = 4_096;

/**
 * Returns AT_PAGESZ from the auxiliary vector (getauxval(3)): 4 KiB almost everywhere, 16 KiB on a Raspberry
 * Pi 5.
 */
export function readPageBytes(procRoot: string): number {
  try {
    const vector = readFileSync(join(procRoot, 'self/auxv'));
    for (let at = 0; at + 16 <= vector.length; at += 16) {
      if (vector.readBigUInt64LE(at) === atPagesz) return Number(vector.readBigUInt64LE(at + 8));
    }
  } catch {
    return usualPageBytes;
  }
  return usualPageBytes;
}

interface MemoryGuardOptions {
  procRoot: string;
  pid: number;
  maxBytes: number;
  onExceeded: (failure: RoleFailure) => void;
}

const everyMs = 100;

/** Limits the resident memory of a broker under session abuse, so that the device does not run out of memory. */
export class MemoryGuard {
  readonly #options: MemoryGuardOptions;
  readonly #collector: Collector;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: MemoryGuardOptions) {
    this.#options = options;
    this.#collector = makeMemoryCollector(options.procRoot, [options.pid]);
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#check(), everyMs);
  }

  /** Idempotent. */
  stop(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#collector.close();
  }

  #check(): void {
    const { maxBytes, onExceeded } = this.#options;
    const bytes = this.#read();
    if (bytes === null || bytes <= maxBytes) return;
    this.stop();
    onExceeded({
      code: 'abuse-memory',
      message: `The broker uses ${Math.round(bytes / 1e6)} MB of memory, more than the ${Math.round(maxBytes / 1e6)} MB that this run allows.`,
      remedy: 'Choose fewer sessions, fewer or smaller messages, or allow more memory, then retry the run.',
    });
  }

  /** Returns null after the process has exited. */
  #read(): number | null {
    try {
      return this.#collector.read(0)[0] ?? null;
    } catch {
      return null;
    }
  }
}
