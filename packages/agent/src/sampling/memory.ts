import { readFileSync, writeFileSync } from 'node:fs';
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

/**
 * Proportional set size in bytes, shared pages counted by share; null when it cannot be read. The kernel walks all
 * page tables of the process for it.
 */
export function readProportionalBytes(procRoot: string, pid: number): number | null {
  try {
    return readKibibytes(readFileSync(join(procRoot, String(pid), 'smaps_rollup'), 'utf8'), 'Pss');
  } catch {
    return null;
  }
}

/** Largest resident set since the process began, or since `forgetPeak`; null when it cannot be read. */
export function readPeakBytes(procRoot: string, pid: number): number | null {
  try {
    return readKibibytes(readFileSync(join(procRoot, String(pid), 'status'), 'utf8'), 'VmHWM');
  } catch {
    return null;
  }
}

/** Lets VmHWM begin anew (proc_pid_clear_refs(5), 5); false where that is not allowed. */
export function forgetPeak(procRoot: string, pid: number): boolean {
  try {
    writeFileSync(join(procRoot, String(pid), 'clear_refs'), '5', { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

function readKibibytes(text: string, name: string): number | null {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1_024;
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
