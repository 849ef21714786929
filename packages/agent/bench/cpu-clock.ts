import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the CPU time of all threads of a process so far, in µs (proc(5), first field of schedstat in ns).
 */
export function readCpuUs(pid: number): number {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  }
  return ns / 1000;
}

/**
 * Returns the CPU time of all processes on this machine so far, in µs (proc(5), /proc/stat, ticks of 10 ms).
 */
export function readMachineCpuUs(): number {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .slice(0, 200)
    .split('\n')[0]!
    .split(/\s+/)
    .map(Number);
  return [user, nice, system, irq, softirq].reduce<number>((sum, ticks) => sum + (ticks ?? 0), 0) * 10_000;
}
