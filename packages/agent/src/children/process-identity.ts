import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readText } from '../base/kernel-files.ts';

/** A pid alone may name a stranger after a while; together with these two it names one process for ever. */
export const processIdentitySchema = z.strictObject({
  pid: z.int().min(2),
  /** Field 22 of /proc/<pid>/stat: clock ticks since boot. */
  startTicks: z.int().min(0),
  bootId: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** The identity of a living process, or null when there is none of that pid. */
export function identifyProcess(procRoot: string, pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(join(procRoot, String(pid), 'stat'), 'utf8');
    // The name in parentheses may hold spaces and parentheses itself: count from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startTicks = Number(fields[19]);
    if (fields[0] === 'Z' || !Number.isInteger(startTicks)) return null;
    return { pid, startTicks, bootId: readBootId(procRoot) };
  } catch {
    return null;
  }
}

/** Whether that very process still lives. */
export function isAlive(procRoot: string, identity: ProcessIdentity): boolean {
  const now = identifyProcess(procRoot, identity.pid);
  return now !== null && now.startTicks === identity.startTicks && now.bootId === identity.bootId;
}

/** Empty where the kernel does not tell. */
export function readBootId(procRoot: string): string {
  return readText(join(procRoot, 'sys/kernel/random/boot_id')) ?? '';
}
