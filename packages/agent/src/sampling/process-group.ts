import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ProcFile, readOr } from './collector.ts';

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

/** USER_HZ: what /proc/<pid>/stat counts in; 100 on every Linux that Node runs on. */
const tickUs = 10_000;

/**
 * CPU time of a process, user and system, of all its threads that lived. From schedstat (first field, ns) of each
 * thread; from utime and stime of /proc/<pid>/stat where the kernel has no schedstat (proc_pid_stat(5)).
 */
export class ProcessCpuTime {
  readonly #folder: string;
  readonly #lookEvery: number;
  #readings = 0;
  readonly #threads = new Map<string, { file: ProcFile; lastUs: number }>();
  #stat: ProcFile | null = null;

  /**
   * New threads are looked for at each `lookEvery`-th reading; their time is then counted from their beginning, so
   * that nothing is lost but a little of its place in time.
   */
  constructor(procRoot: string, pid: number, lookEvery = 1) {
    this.#folder = join(procRoot, String(pid));
    this.#lookEvery = lookEvery;
  }

  /** µs since the process began; throws the system's error once it is gone. */
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

  /** false when this kernel has no schedstat. */
  #readThread(thread: string): boolean {
    const path = join(this.#folder, 'task', thread, 'schedstat');
    const known = this.#threads.get(thread) ?? { file: new ProcFile(path, 64), lastUs: 0 };
    try {
      known.lastUs = Number.parseInt(known.file.read(), 10) / 1_000;
    } catch {
      // A thread that ended in between keeps the time that it had; a kernel without schedstat never has any.
      return this.#threads.size > 0;
    }
    // With its accounting switched off the kernel writes zeros.
    if (this.#threads.size === 0 && known.lastUs === 0) return false;
    this.#threads.set(thread, known);
    return true;
  }

  #fallBack(): number {
    this.#stat = new ProcFile(join(this.#folder, 'stat'));
    return parseStatUs(this.#stat.read());
  }
}

/** Fields 14 and 15, counted from behind the name in parentheses. */
function parseStatUs(text: string): number {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  if (!Number.isFinite(ticks)) throw new Error('/proc/<pid>/stat has no utime and stime');
  return ticks * tickUs;
}
