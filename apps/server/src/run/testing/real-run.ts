import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { Verdict } from '@mqttlab/shared/domain/runs/verdict';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { commandOf, descendantsOf } from '@mqttlab/shared/testing/processes';
import { addExperiment, eventually, type Life, makeTinyDraft } from './rig.ts';

/** One treatment, one run: a second of plain QoS 1 at 200 messages a second, sampled ten times a second. */
export function makeOneRunDraft(
  change: Partial<ExperimentDraft> = {},
  workload: Parameters<typeof makeWorkload>[0] = {},
): ExperimentDraft {
  return makeTinyDraft({
    repetitions: 1,
    sampleHz: 10,
    workload: makeWorkload({
      warmUpMs: 300,
      measureMs: 1000,
      drainTimeoutMs: 4000,
      window: 100,
      ...workload,
    }),
    ...change,
    factors: { security: ['plain'], rate: [200], qos: [1], ...change.factors },
  });
}

interface PlayedRun {
  experimentId: number;
  detail: RunDetail;
  verdict(id: string): Verdict | undefined;
}

/** Executes one run; `during` starts with its measure phase. Throws if the run did not complete. */
export async function playRun(
  life: Life,
  draft: ExperimentDraft,
  during: () => Promise<void> = async () => {},
): Promise<PlayedRun> {
  const { id } = addExperiment(life, draft);
  await life.scheduler.act(id, 'start');
  const run = await eventually('a run in progress', () =>
    life.runs.listRuns(id).find(({ status }) => status !== 'planned' && status !== 'preparing'),
  );
  const measuredAt = life.runs.findRunDetail(run.id)?.measuredAt ?? Date.now();
  await wait(Math.max(0, measuredAt - Date.now()));
  await during();
  await eventually('the end', () => life.experiments.findExperiment(id)?.status === 'done');
  const detail = life.runs.findRunDetail(run.id);
  if (detail?.status !== 'done') throw new Error(`the run is ${detail?.status}: ${detail?.failure?.message}`);
  return { experimentId: id, detail, verdict: (name) => detail.verdicts.find((entry) => entry.id === name) };
}

/** Descendants of a process whose command line contains a word. */
export function findProcesses(parent: number, word: string): number[] {
  return descendantsOf(parent).filter((pid) => commandOf(pid).includes(word));
}

/** Suspends processes for a while, like a device that is overloaded. */
export async function hold(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) signal(pid, 'SIGSTOP');
  try {
    await wait(ms);
  } finally {
    for (const pid of pids) signal(pid, 'SIGCONT');
  }
}

/** A short-lived program that has ended by itself cannot be suspended. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (existsSync(`/proc/${pid}`)) process.kill(pid, name);
}
