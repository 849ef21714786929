import { parentPort, workerData } from 'node:worker_threads';
import { ProblemError } from '../../base/errors.ts';
import { openDatabaseToRead } from '../../store/database.ts';
import { makeExperimentStore } from '../../store/experiments/experiment-store.ts';
import { makeRunStore } from '../../store/runs/run-store.ts';
import type { ThreadAnswer, ThreadQuestion } from './answer-thread.ts';
import { computeAnswer } from './answer-work.ts';

const database = openDatabaseToRead(workerData as string);
const stores = { experiments: makeExperimentStore(database), runs: makeRunStore(database) };

async function answer({ id, kind, input }: ThreadQuestion): Promise<void> {
  const reply = (message: ThreadAnswer, transfer: ArrayBuffer[] = []): void =>
    parentPort?.postMessage(message, transfer);
  try {
    // Copied out of the pool of small buffers, so that it can be transferred.
    const bytes = Uint8Array.from(await computeAnswer(stores, { kind, input }));
    reply({ id, bytes }, [bytes.buffer]);
  } catch (error) {
    if (error instanceof ProblemError) reply({ id, problem: error.problem });
    else reply({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

parentPort?.on('message', (question: ThreadQuestion) => void answer(question));
