import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type BenchRow, makeRow, median } from '@mqttlab/shared/testing/bench';
import { instruments, makeSamplers } from '../src/instruments/role-instruments.ts';
import { makeMeasuredRole } from '../src/instruments/testing/measured-role.ts';
import { systemClock } from '../src/load/pacing/clock.ts';

const processes = 4;
const sampleHz = 10;
const measureMs = 10_000;
const settleMs = 1_000;
/** An almost idle process of the size of a load worker. */
const idleProgram = 'const kept = Buffer.alloc(4e7, 1); setInterval(() => kept.fill(2, 0, 1e4), 20);';

/**
 * Measures the agent's cost of sampling four MQTT processes, with all metrics read ten times a second and
 * once a second.
 */
export async function benchSampler(repetitions: number): Promise<BenchRow[]> {
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, ['-e', idleProgram], { stdio: 'ignore' }),
  );
  try {
    await wait(settleMs);
    const pids = children.map(({ pid }) => pid ?? 0);
    const shares: number[] = [];
    for (let i = 0; i < repetitions; i += 1) shares.push(await sampleOnce(pids));
    const name = `sampler, ${processes} processes at ${sampleHz} Hz`;
    return [makeRow({ name, value: median(shares), unit: '% of a core', atMost: 1 })];
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** Returns the CPU time of this process while it samples, in % of one core; nothing else is running in it. */
async function sampleOnce(pids: readonly number[]): Promise<number> {
  const role = makeMeasuredRole(tmpdir());
  const nowUs = systemClock.nowUs();
  const samplers = makeSamplers(
    instruments.flatMap((make) => make(role) ?? []),
    { pids, helpers: [] },
    { clock: systemClock, sampleHz, startAtUs: nowUs, measureAtUs: nowUs },
  );
  for (const sampler of samplers) sampler.start();
  await wait(settleMs);
  const before = process.cpuUsage();
  await wait(measureMs);
  const { user, system } = process.cpuUsage(before);
  for (const sampler of samplers) sampler.stop();
  return ((user + system) / (measureMs * 1_000)) * 100;
}
