import { parentPort, workerData } from 'node:worker_threads';
import { forkedData, packError } from '../base/child-programs.ts';
import { openDatabaseToRead } from '../store/database.ts';
import { makeAnswerStore } from '../store/experiments/answer-store.ts';
import { makeExperimentStore } from '../store/experiments/experiment-store.ts';
import { makeStudyStore } from '../store/experiments/study-store.ts';
import { makeRunStore } from '../store/runs/run-store.ts';
import { makeShareStore } from '../store/settings/share-store.ts';
import { programOf, type WorkerAnswer, type WorkerData, type WorkerQuestion } from './answer-queue.ts';
import { computeAnswer } from './answer-work.ts';

const { databasePath, software } =
  parentPort === null ? forkedData<WorkerData>() : (workerData as WorkerData);
const database = openDatabaseToRead(databasePath);
const stored = makeAnswerStore(database, programOf(software));
const stores = {
  experiments: makeExperimentStore(database),
  runs: makeRunStore(database),
  studies: makeStudyStore(database),
  shares: makeShareStore(database),
};

function reply(message: WorkerAnswer): void {
  if (parentPort === null) process.send?.(message);
  else parentPort.postMessage(message, 'bytes' in message ? [message.bytes.buffer as ArrayBuffer] : []);
}

async function answer({ id, kind, input }: WorkerQuestion): Promise<void> {
  try {
    const onProgress = (done: number, all: number): void => reply({ id, done, all });
    const bytes = await computeAnswer({ stores, stored, software, onProgress }, { kind, input });
    // Copied out of the pool of small buffers, because the thread transfers the bytes.
    reply({ id, bytes: parentPort === null ? bytes : Uint8Array.from(bytes) });
  } catch (error) {
    reply({ id, error: packError(error) });
  }
}

(parentPort ?? process).on('message', (question: WorkerQuestion) => void answer(question));
