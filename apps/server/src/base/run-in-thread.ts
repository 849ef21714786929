import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Problem } from '@mqttlab/shared/messages/http';
import { ProblemError } from './errors.ts';
import { findProgram, type Program, quietArguments } from './fork-program.ts';

type ThreadMessage<T> = { value: T } | { problem: Problem };

interface ThreadTask extends Program {
  data: unknown;
  /** Thrown if it takes too long or too much memory. */
  tooMuch: ProblemError;
}

const timeoutMs = 20_000;
const memoryMb = 512;

/** Runs work in a thread that would block the event loop. Rejects with the problem that the thread threw. */
export async function runInThread<T>({ module, from, data, tooMuch }: ThreadTask): Promise<T> {
  const worker = new Worker(findProgram({ module, from }), {
    workerData: data,
    execArgv: quietArguments,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const message = await new Promise<ThreadMessage<T>>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch : error),
      );
      worker.once('exit', (code) => reject(new Error(`a thread ended with ${code} and without a result`)));
      timer = setTimeout(() => reject(tooMuch), timeoutMs);
    });
    if ('value' in message) return message.value;
    const { status, detail, remedy, issues } = message.problem;
    throw new ProblemError({ status, detail, remedy, issues });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** The thread's side: does the work and sends its result, or the problem. */
export function answerInThread<Data, T>(work: (data: Data) => T): void {
  const send = (message: ThreadMessage<T>): void => parentPort?.postMessage(message);
  try {
    send({ value: work(workerData as Data) });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    send({ problem: error.problem });
  }
}
