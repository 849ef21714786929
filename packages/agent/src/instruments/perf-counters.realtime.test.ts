import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../processes/programs.ts';
import { makeTestRecords } from '../testing/child-records.ts';
import { PerfCounting } from './perf-counters.ts';

const hasPerf = await runCommand('perf', ['--version']).then(
  () => true,
  () => false,
);

/** utime of proc(5), in ticks of 10 ms. */
function cpuMs(pid = 0): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[13]) * 10;
}

test('counts one process between enable and disable, where perf is installed', async () => {
  const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  onTestFinished(() => void busy.kill('SIGKILL'));
  await wait(100);
  // Counted by the kernel itself, so it works on every machine.
  const counting = new PerfCounting({
    pids: [busy.pid ?? 0],
    records: makeTestRecords(),
    eventNames: ['task-clock'],
  });
  await wait(400);
  const enabledAt = performance.now();
  counting.enable();
  // On a busy machine it is scheduled late.
  const before = cpuMs(busy.pid);
  await expect.poll(() => cpuMs(busy.pid) - before).toBeGreaterThan(100);
  counting.disable();
  const enabledMs = performance.now() - enabledAt;
  await wait(300);
  const outcome = await counting.finish();
  if (!hasPerf) {
    expect(outcome).toMatchObject({ reason: expect.stringContaining('ENOENT') });
    return;
  }
  expect(outcome).toHaveProperty('text');
  const ms = Number('text' in outcome ? outcome.text.split(',')[0] : 0);
  expect(ms).toBeGreaterThan(20);
  // Without its activity before and after.
  expect(ms).toBeLessThan(enabledMs + 150);
});
