import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabaseToRead } from '../../store/database.ts';
import { makeAnswerStore } from '../../store/experiments/answer-store.ts';
import { makeExperimentStore } from '../../store/experiments/experiment-store.ts';
import { makeStudyStore } from '../../store/experiments/study-store.ts';
import { makeRunStore } from '../../store/runs/run-store.ts';
import { makeShareStore } from '../../store/settings/share-store.ts';
import { programOf, type ThreadAnswer, type ThreadData, type ThreadQuestion } from './answer-thread.ts';
import { computeAnswer } from './answer-work.ts';
import { packError } from './thread-error.ts';

const { databasePath, software, isLong } = workerData as ThreadData;
const database = openDatabaseToRead(databasePath);
const stored = makeAnswerStore(database, programOf(software));
const stores = {
  experiments: makeExperimentStore(database),
  runs: makeRunStore(database),
  studies: makeStudyStore(database),
  shares: makeShareStore(database),
};
/** Nice value of the thread for long answers: requests and measurements have priority. */
const lowPriority = 10;

async function answer({ id, kind, input }: ThreadQuestion): Promise<void> {
  const reply = (message: ThreadAnswer, transfer: ArrayBuffer[] = []): void =>
    parentPort?.postMessage(message, transfer);
  try {
    const onProgress = (done: number, all: number): void => reply({ id, done, all });
    // Copied out of the pool of small buffers, so that it can be transferred.
    const bytes = Uint8Array.from(
      await computeAnswer({ stores, stored, software, onProgress }, { kind, input }),
    );
    reply({ id, bytes }, [bytes.buffer]);
  } catch (error) {
    reply({ id, error: packError(error) });
  }
}

/** On Linux a thread has its own nice value, by its number in "1234/task/1240". */
function lowerPriority(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, lowPriority);
  } catch {
    // Other systems: the thread has the priority of the process.
  }
}

if (isLong) lowerPriority();
parentPort?.on('message', (question: ThreadQuestion) => void answer(question));
