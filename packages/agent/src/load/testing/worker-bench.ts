import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { onTestFinished } from 'vitest';
import { testEntry } from '../../testing/entry.ts';
import { LoadWorkerProcess } from '../load-worker-process.ts';
import type { LoadProgress } from '../worker-messages.ts';
import { makePrepare, type TestTrial } from './play-trial.ts';

/** A worker that is stopped after the test, with all its reports. */
export function makeWorker() {
  const progress: LoadProgress[] = [];
  const phases: string[] = [];
  const failures: RoleFailure[] = [];
  const log: string[] = [];
  const worker = new LoadWorkerProcess({
    entry: { ...testEntry, args: [...testEntry.args, 'load-worker'] },
    onProgress: (frame) => progress.push(frame),
    onPhase: (phase, durationUs) => phases.push(durationUs === null ? `> ${phase}` : phase),
    onFailure: (failure) => failures.push(failure),
    onLog: (_level, text) => log.push(text),
  });
  onTestFinished(() => worker.stop());
  return { worker, progress, phases, failures, log };
}

/** Starts a worker and connects in its role. */
export async function openWorker(
  worker: LoadWorkerProcess,
  trial: TestTrial,
  role: PrepareClient['role'],
): Promise<void> {
  await worker.start();
  await worker.prepare(makePrepare(trial, role));
  await worker.connect();
}
