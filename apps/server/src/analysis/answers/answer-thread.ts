import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Problem } from '@mqttlab/shared/messages/http';
import { ProblemError } from '../../base/errors.ts';
import type { AnswerKind } from './answer-work.ts';

export interface ThreadQuestion {
  id: number;
  kind: AnswerKind;
  input: unknown;
}

export type ThreadAnswer = { id: number } & (
  | { bytes: Uint8Array }
  | { problem: Problem }
  | { failure: string }
);

interface Waiting {
  question: ThreadQuestion;
  resolve(bytes: Uint8Array): void;
  reject(error: unknown): void;
}

const memoryMb = 1024;

/** Next to this file in the built server; in the source tree the module itself. */
function findWorker(): URL {
  const built = new URL('./answer-worker.mjs', import.meta.url);
  return existsSync(fileURLToPath(built)) ? built : new URL('./answer-worker.ts', import.meta.url);
}

/**
 * A thread with its own connection to the database, which computes one answer after the other. It starts with the first
 * question, and again after it failed.
 */
export class AnswerThread {
  readonly #path: string;
  readonly #queue: Waiting[] = [];
  #worker: Worker | null = null;
  #current: Waiting | null = null;
  #nextId = 1;

  constructor(path: string) {
    this.#path = path;
  }

  /** The JSON of an answer. Rejects with a problem, or with the reason of `signal` if it waits in the queue then. */
  ask(kind: AnswerKind, input: unknown, signal: AbortSignal): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { question: { id: this.#nextId, kind, input }, resolve, reject };
      this.#nextId += 1;
      this.#queue.push(waiting);
      signal.addEventListener(
        'abort',
        () => {
          const at = this.#queue.indexOf(waiting);
          if (at < 0) return;
          this.#queue.splice(at, 1);
          reject(signal.reason);
        },
        { once: true },
      );
      this.#next();
    });
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#fail(new Error('The server stops.'));
    for (const { reject } of this.#queue.splice(0)) reject(new Error('The server stops.'));
    await worker?.terminate();
  }

  #next(): void {
    if (this.#current) return;
    this.#current = this.#queue.shift() ?? null;
    if (!this.#current) return;
    this.#worker ??= this.#start();
    this.#worker.postMessage(this.#current.question);
  }

  #start(): Worker {
    const worker = new Worker(findWorker(), {
      workerData: this.#path,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    worker.unref();
    worker.on('message', (answer: ThreadAnswer) => {
      if (this.#worker !== worker || answer.id !== this.#current?.question.id) return;
      const { resolve, reject } = this.#current;
      this.#current = null;
      if ('bytes' in answer) resolve(answer.bytes);
      else if ('problem' in answer) {
        const { status, detail, remedy, issues } = answer.problem;
        reject(new ProblemError({ status, detail, remedy, issues }));
      } else reject(new Error(answer.failure));
      this.#next();
    });
    const lose = (error: Error): void => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#fail(error);
      this.#next();
    };
    worker.once('error', lose);
    worker.once('exit', (code) => lose(new Error(`the thread for answers ended with ${code}`)));
    return worker;
  }

  #fail(error: Error): void {
    const current = this.#current;
    this.#current = null;
    current?.reject(error);
  }
}
