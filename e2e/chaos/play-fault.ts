import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { makeRoleResult } from '@mqttlab/shared/testing/factories';
import type { ChaosBench } from './chaos-bench.ts';
import type { Fault, Step } from './make-sequence.ts';

/** A run that this server never began. */
const unknownRunId = 777_777_777;

/** Plays the faults one after the other; every wound that closes by itself is closed when this returns. */
export async function playSteps(bench: ChaosBench, steps: readonly Step[]): Promise<void> {
  for (const { afterMs, fault } of steps) {
    await wait(afterMs);
    await playFault(bench, fault);
  }
}

async function playFault(bench: ChaosBench, fault: Fault): Promise<void> {
  if (fault.kind === 'kill') return kill(bench, fault.victim);
  if (fault.kind === 'restart') {
    const code = await bench.stopServer();
    if (code !== 0) throw new Error(`the server ended with ${code} when it was asked to stop`);
    return bench.startServer();
  }
  if (fault.kind === 'freeze') return freeze(bench, fault);
  if (fault.kind === 'fill-disk') {
    bench.fillDisk();
    await wait(fault.forMs);
    return bench.freeDisk();
  }
  if (fault.kind === 'jump-clock') return bench.jumpClock(fault.byS);
  if (fault.kind === 'cut') {
    bench.cutConnections();
    await wait(fault.forMs);
    return bench.joinConnections();
  }
  if (fault.kind === 'late-results') return dieCollecting(bench, fault.withAgents);
  return leaveRefusable(bench);
}

async function kill(bench: ChaosBench, victim: Extract<Fault, { kind: 'kill' }>['victim']): Promise<void> {
  if (victim === 'server') {
    await bench.killServer();
    return bench.startServer();
  }
  for (const { pid } of bench.find(victim)) signal(pid, 'SIGKILL');
}

async function freeze(
  bench: ChaosBench,
  { victim, forMs }: Extract<Fault, { kind: 'freeze' }>,
): Promise<void> {
  const frozen = bench.find(victim);
  for (const { pid } of frozen) signal(pid, 'SIGSTOP');
  await wait(forMs);
  for (const { pid } of frozen) signal(pid, 'SIGCONT');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself meanwhile.
  }
}

/** Where no run is collected for a while, the experiment is over. */
const collectingMs = 4_000;

async function dieCollecting(bench: ChaosBench, withAgents: boolean): Promise<void> {
  const isCollecting = async (): Promise<boolean> => {
    const path = `/experiments/${bench.experimentId}`;
    const { runs } = await bench.server.api<ExperimentDetail>('GET', path);
    return runs.some(({ status }) => status === 'collecting');
  };
  for (const endsAt = performance.now() + collectingMs; performance.now() < endsAt; await wait(5)) {
    if (!(await isCollecting().catch(() => false))) continue;
    const agents = withAgents ? [...bench.find('broker-agent'), ...bench.find('client-agent')] : [];
    await bench.killServer();
    for (const { pid } of agents) signal(pid, 'SIGKILL');
    return bench.startServer();
  }
}

async function leaveRefusable(bench: ChaosBench): Promise<void> {
  const runId = unknownRunId + bench.refusable.size;
  const key = `${runId}-publisher`;
  const outbox = bench.outboxOf('local-publisher');
  mkdirSync(outbox, { recursive: true });
  writeFileSync(join(outbox, `${key}.json`), JSON.stringify({ runId, result: makeRoleResult() }));
  bench.refusable.add(key);
  await kill(bench, 'client-agent');
}
