import { setTimeout as wait } from 'node:timers/promises';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { countServerEnds, maxServerEnds } from '../../apps/server/src/run/results.ts';
import type { ChaosBench } from './chaos-bench.ts';

/** Longer than the wait for a device with possible results, and than a hanging run. */
const timeoutMs = 150_000;
/** Time for stopped agents to restart and connect. */
const backMs = 30_000;
const lookEveryMs = 100;

/**
 * Waits until the experiment is done. The server does not repeat a trial automatically if it was interrupted too often.
 * Retries such trials as a user would. Rejects if the experiment does not end.
 */
export async function settle(bench: ChaosBench, id: number): Promise<ExperimentDetail> {
  const first = await untilFinished(bench, id);
  if (!isLeftToAPerson(first)) return first;
  await bench.server.api('POST', `/experiments/${id}/actions/retry-failed`);
  return untilFinished(bench, id);
}

function isLeftToAPerson({ plan, runs }: ExperimentDetail): boolean {
  const attemptsAt = (number: number) => runs.filter(({ trialNumber }) => trialNumber === number);
  return (plan?.trials ?? []).some(({ number }) => countServerEnds(attemptsAt(number)) >= maxServerEnds);
}

/** Faults may have stopped agents, which then restart. Rejects if one does not come back online. */
export async function untilAgentsAreBack({ server }: ChaosBench): Promise<void> {
  let missing: string[] = [];
  for (const endsAt = performance.now() + backMs; performance.now() < endsAt; await wait(lookEveryMs)) {
    const { items } = await server.api<{ items: TestbedStatus[] }>('GET', '/testbeds');
    missing = items.flatMap(({ devices }) =>
      devices.flatMap(({ deviceId, online, standby }) => (online || standby ? [] : [deviceId])),
    );
    if (missing.length === 0) return;
  }
  throw new Error(`not online again after ${backMs / 1000} s: ${missing.join(', ')}`);
}

async function untilFinished(bench: ChaosBench, id: number): Promise<ExperimentDetail> {
  let last: ExperimentDetail | null = null;
  for (const endsAt = performance.now() + timeoutMs; performance.now() < endsAt; await wait(lookEveryMs)) {
    last = await bench.server.api<ExperimentDetail>('GET', `/experiments/${id}`).catch(() => null);
    if (last !== null && isFinished(last.status)) return last;
  }
  const runs = last?.runs.map(({ status, failure }) => `${status} ${failure?.code ?? ''}`.trim()).join(', ');
  throw new Error(
    `the experiment is still ${last?.status ?? 'not to be had'} after ${timeoutMs / 1000} s: ${runs}`,
  );
}
