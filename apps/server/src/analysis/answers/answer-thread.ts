import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ProblemError } from '../../base/errors.ts';
import type { AnswerKind } from './answer-work.ts';
import { type PackedError, unpackError } from './thread-error.ts';

export interface ThreadData {
  databasePath: string;
  /** Name and version that reports show. */
  software: string;
  /** Answers of this thread take seconds: it runs at a lower priority. */
  isLong: boolean;
}

export interface Question {
  kind: AnswerKind;
  input: unknown;
}

export type ThreadQuestion = Question & { id: number };

export type ThreadAnswer = { id: number } & (
  | { bytes: Uint8Array }
  | { error: PackedError }
  | { done: number; all: number }
);

interface Watched {
  /** Drops a question that waits in the queue. */
  signal: AbortSignal;
  /** Ends the work on it. */
  interrupt: AbortSignal;
  onProgress: (done: number, all: number) => void;
}

interface Waiting {
  question: ThreadQuestion;
  onProgress: Watched['onProgress'];
  resolve(bytes: Uint8Array): void;
  reject(error: unknown): void;
}

export interface ThreadLimits {
  /** Questions that may wait. */
  maxWaiting: number;
  /** Heap of the thread. */
  memoryMb: number;
  /** The thread ends, which frees its memory, after this time without a question; null: it stays. */
  idleMs: number | null;
}

const retryAfterS = 5;
/** Of the thread for reports. A larger young generation is faster, and takes more memory. */
const youngMb = 2;

/** Next to this file in the built server; in the source tree the module itself. */
function findWorker(): URL {
  const built = new URL('./answer-worker.mjs', import.meta.url);
  return existsSync(fileURLToPath(built)) ? built : new URL('./answer-worker.ts', import.meta.url);
}

/** Identifies the code that computes answers. */
export function programOf(software: string): string {
  const hash = createHash('sha256').update(readFileSync(findWorker())).digest('hex').slice(0, 16);
  return `${software} ${hash}`;
}

/**
 * A thread with its own connection to the database, which computes one answer after the other. It starts with the first
 * question, and again after it failed or ended.
 */
export class AnswerThread {
  readonly #data: ThreadData;
  readonly #limits: ThreadLimits;
  readonly #queue: Waiting[] = [];
  #worker: Worker | null = null;
  #current: Waiting | null = null;
  #nextId = 1;
  #idle: NodeJS.Timeout | undefined;

  constructor(data: ThreadData, limits: ThreadLimits) {
    this.#data = data;
    this.#limits = limits;
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /**
   * The bytes of an answer. Rejects with a problem, 503 if too many questions wait, or with the reason of a signal that
   * dropped or interrupted it.
   */
  ask(question: Question, { signal, interrupt, onProgress }: Watched): Promise<Uint8Array> {
    if (this.#queue.length >= this.#limits.maxWaiting) return Promise.reject(tooMany(this.#queue.length));
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { question: { id: this.#nextId, ...question }, onProgress, resolve, reject };
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
      interrupt.addEventListener(
        'abort',
        () => {
          if (this.#current !== waiting) return;
          void this.#end(interrupt.reason);
          this.#next();
        },
        { once: true },
      );
      this.#next();
    });
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    for (const { reject } of this.#queue.splice(0)) reject(new Error('The server stops.'));
    await this.#end(new Error('The server stops.'));
  }

  async #end(reason: unknown): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    this.#fail(reason);
    await worker?.terminate();
  }

  #next(): void {
    if (this.#current) return;
    clearTimeout(this.#idle);
    this.#current = this.#queue.shift() ?? null;
    if (!this.#current) {
      this.#endWhenIdle();
      return;
    }
    this.#worker ??= this.#start();
    this.#worker.postMessage(this.#current.question);
  }

  #endWhenIdle(): void {
    const { idleMs } = this.#limits;
    if (idleMs === null || !this.#worker) return;
    this.#idle = setTimeout(() => void this.#end(null), idleMs).unref();
  }

  #start(): Worker {
    const worker = new Worker(findWorker(), {
      workerData: this.#data,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: {
        maxOldGenerationSizeMb: this.#limits.memoryMb,
        ...(this.#data.isLong ? { maxYoungGenerationSizeMb: youngMb } : {}),
      },
    });
    worker.unref();
    worker.on('message', (answer: ThreadAnswer) => {
      if (this.#worker !== worker || answer.id !== this.#current?.question.id) return;
      const { resolve, reject, onProgress } = this.#current;
      if ('done' in answer) {
        onProgress(answer.done, answer.all);
        return;
      }
      this.#current = null;
      if ('bytes' in answer) resolve(answer.bytes);
      else reject(unpackError(answer.error));
      this.#next();
    });
    const lose = (error: Error): void => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#fail(isOutOfMemory(error) ? tooLarge(this.#limits.memoryMb) : error);
      this.#next();
    };
    worker.once('error', lose);
    worker.once('exit', (code) => lose(new Error(`the thread for answers ended with ${code}`)));
    return worker;
  }

  #fail(error: unknown): void {
    const current = this.#current;
    this.#current = null;
    current?.reject(error);
  }
}

const isOutOfMemory = (error: NodeJS.ErrnoException): boolean => error.code === 'ERR_WORKER_OUT_OF_MEMORY';

function tooMany(waiting: number): ProblemError {
  return new ProblemError({
    status: 503,
    detail: `${waiting} questions are waiting for their answers.`,
    remedy: `Ask again in ${retryAfterS} s.`,
    headers: { 'Retry-After': String(retryAfterS) },
  });
}

function tooLarge(memoryMb: number): ProblemError {
  return new ProblemError({
    status: 422,
    detail: `This answer needs more than ${memoryMb} MB of memory.`,
    remedy: 'Ask about fewer runs, or export the experiment and analyse the files.',
  });
}
