import { expect, test } from 'vitest';
import { ProcessCpuTime } from './cpu.ts';

test('CPU of this process agrees with the value from the kernel', () => {
  const time = new ProcessCpuTime('/proc', process.pid);
  const before = { ours: time.readUs(), kernel: process.cpuUsage() };
  // Until the kernel has counted enough, however long that takes on a busy machine.
  while (process.cpuUsage(before.kernel).user < 60_000);
  const { user, system } = process.cpuUsage(before.kernel);
  const ours = time.readUs() - before.ours;
  time.close();
  expect(Math.abs(ours - (user + system))).toBeLessThan(15_000);
  expect(ours).toBeGreaterThan(30_000);
});
