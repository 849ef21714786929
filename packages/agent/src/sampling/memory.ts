import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Collector } from './collector.ts';
import { ProcFile } from './proc-file.ts';

/** 'memory.resident': resident set of one process in bytes, from /proc/<pid>/statm (proc_pid_statm(5)). */
export function makeMemoryCollector(procRoot: string, pid: number): Collector {
  const file = new ProcFile(join(procRoot, String(pid), 'statm'), 128);
  const pageBytes = readPageBytes(procRoot);
  return {
    name: 'memory.resident',
    metrics: [{ metric: 'memory.resident', unit: 'B' }],
    read: () => {
      const pages = Number(file.read().split(' ')[1]);
      if (!Number.isFinite(pages)) throw new Error('/proc/<pid>/statm has no second field');
      return [pages * pageBytes];
    },
    close: () => file.close(),
  };
}

/** Proportional set size in bytes: shared pages counted by share; walks all page tables, so once only. */
export function readProportionalBytes(procRoot: string, pid: number): number | null {
  try {
    const text = readFileSync(join(procRoot, String(pid), 'smaps_rollup'), 'utf8');
    const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * 1_024;
  } catch {
    return null;
  }
}

const atPagesz = 6n;
const usualPageBytes = 4_096;

/** AT_PAGESZ of the auxiliary vector (getauxval(3)): 4 KiB almost everywhere, 16 KiB on a Raspberry Pi 5. */
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
