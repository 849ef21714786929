import type { Collector } from './collector.ts';
import { makeMemoryCollector, readProportionalBytes } from './memory.ts';
import { ProcessCpuTime } from './process-cpu-time.ts';

/** CPU time that can be read again and again. */
export interface CpuTime {
  /** µs, user and system; throws the system's error once it cannot be read. */
  readUs(): number;
  close(): void;
}

/**
 * CPU time of a process and those that work for it, added up. The first must live; another one that ended keeps the
 * time that it had.
 */
export class ProcessGroupCpuTime implements CpuTime {
  readonly #first: ProcessCpuTime;
  readonly #others: { time: ProcessCpuTime; lastUs: number }[];

  /** At least one pid. */
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

/** 'memory.resident' of a process and those that work for it; pages that they share count for each. */
export function makeGroupMemoryCollector(
  procRoot: string,
  [first = 0, ...others]: readonly number[],
): Collector {
  const own = makeMemoryCollector(procRoot, first);
  const more = others.map((pid) => makeMemoryCollector(procRoot, pid));
  return {
    name: own.name,
    metrics: own.metrics,
    read: (nowUs) => {
      const [bytes = null] = own.read(nowUs);
      const added = more.map((collector) => readOr(() => collector.read(nowUs)[0] ?? 0, 0));
      return [bytes === null ? null : added.reduce((sum, each) => sum + each, bytes)];
    },
    close: () => {
      for (const collector of [own, ...more]) collector.close();
    },
  };
}

function readOr(read: () => number, otherwise: number): number {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Proportional set size of all of them in bytes; null where none can be read. */
export function readGroupProportionalBytes(procRoot: string, pids: readonly number[]): number | null {
  const sizes = pids.flatMap((pid) => readProportionalBytes(procRoot, pid) ?? []);
  return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0);
}
