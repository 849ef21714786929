import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { atMost, type BenchRow, figure } from '@mqttlab/shared/testing/bench';
import { makeQuickDraft, startExperiment, waitUntilDone } from '../fixtures/experiments.ts';
import { TestServer } from '../fixtures/server.ts';

const idleMs = 10_000;

/** Overhead between runs, start-up time, and cost of idle agents. */
export async function measureServer(): Promise<BenchRow[]> {
  const server = new TestServer();
  const startedAt = performance.now();
  await server.start();
  const readyMs = performance.now() - startedAt;
  try {
    const idle = await measureIdleAgents(server);
    const overheads = await measureOverhead(server);
    return [
      atMost('start: ready after', readyMs / 1000, { limit: 5, unit: 's' }),
      atMost('overhead between runs, median', overheads.median, { limit: 1000, unit: 'ms' }),
      figure('overhead between runs, largest', overheads.largest, 'ms'),
      ...idle,
    ];
  } finally {
    await server.remove();
  }
}

async function measureOverhead(server: TestServer): Promise<{ median: number; largest: number }> {
  const draft = makeQuickDraft({ factors: { security: ['TLS 1.3'], qos: [0, 1] }, repetitions: 6 });
  const { runs } = await waitUntilDone(server, await startExperiment(server, draft));
  const details = await Promise.all(runs.map(({ id }) => server.api<RunDetail>('GET', `/runs/${id}`)));
  const overheads = details.flatMap(({ overheadMs }) => overheadMs ?? []).sort((a, b) => a - b);
  return {
    median: overheads[Math.floor(overheads.length / 2)] ?? Number.NaN,
    largest: overheads.at(-1) ?? Number.NaN,
  };
}

async function measureIdleAgents(server: TestServer): Promise<BenchRow[]> {
  await sleep(2000);
  const agents = server.descendants().filter((pid) => commandOf(pid).includes('agent'));
  const before = agents.map(cpuMs);
  await sleep(idleMs);
  const shares = agents.map((pid, index) => ((cpuMs(pid) - (before[index] ?? 0)) / idleMs) * 100);
  const resident = agents.map(residentMb);
  return [
    atMost('agent: CPU while idle, largest of three', Math.max(...shares), { limit: 1, unit: '% of a core' }),
    figure('agent: resident memory while idle, largest of three', Math.max(...resident), 'MB'),
    figure('server: resident memory while idle', residentMb(server.pid), 'MB'),
  ];
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

/** CPU time of a process with all its threads, ms; ticks of 10 ms (proc(5)). */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1000;
}
