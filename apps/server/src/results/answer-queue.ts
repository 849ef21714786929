import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import {
  findProgram,
  forkProgram,
  type PackedError,
  quietArguments,
  ranOutOfMemory,
  unpackError,
} from '../base/child-programs.ts';
import { ProblemError } from '../base/errors.ts';
import type { AnswerKind } from './answer-work.ts';

export interface WorkerData {
  databasePath: string;
  /** Name and version of the software in reports. */
  software: string;
}

export interface Question {
  kind: AnswerKind;
  input: unknown;
}

export type WorkerQuestion = Question & { id: number };

export type WorkerAnswer = { id: number } & (
  | { bytes: Uint8Array }
  | { error: PackedError }
  | { done: number; all: number }
);

interface Watched {
  /** Aborted to drop a question that is waiting in the queue. */
  signal: AbortSignal;
  /** Aborted to end the work on the question. */
  interrupt: AbortSignal;
  onProgress: (done: number, all: number) => void;
}

interface Waiting {
  question: WorkerQuestion;
  onProgress: Watched['onProgress'];
  resolve(bytes: Uint8Array): void;
  reject(error: unknown): void;
}

interface QueueLimits {
  /** Maximum waiting questions. */
  maxWaiting: number;
  /** Heap size of the worker. */
  memoryMb: number;
  /** Idle time after which the worker ends and frees its memory; null if the worker stays. */
  idleMs: number | null;
}

/** A thread or a process that runs answer-worker.ts. */
interface AnswerWorker {
  post(question: WorkerQuestion): void;
  end(): Promise<void>;
}

interface WorkerEvents {
  onAnswer: (answer: WorkerAnswer) => void;
  /** Called if the worker ended unexpectedly. */
  onLost: (error: Error) => void;
}

type StartWorker = (data: WorkerData, memoryMb: number, events: WorkerEvents) => AnswerWorker;

const retryAfterS = 5;
const program = { module: './answer-worker', from: import.meta.url };

/** Returns an identifier of the code that computes answers. */
export function programOf(software: string): string {
  const hash = createHash('sha256')
    .update(readFileSync(findProgram(program)))
    .digest('hex')
    .slice(0, 16);
  return `${software} ${hash}`;
}

/** Starts a thread, which shares the server's memory, for frequent answers. */
export const startThread: StartWorker = (data, memoryMb, { onAnswer, onLost }) => {
  const worker = new Worker(findProgram(program), {
    workerData: data,
    execArgv: quietArguments,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  worker.unref();
  worker.on('message', onAnswer);
  worker.once('error', (error: NodeJS.ErrnoException) =>
    onLost(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge(memoryMb) : error),
  );
  worker.once('exit', (code) => onLost(new Error(`the answer thread exited with ${code}`)));
  return {
    post: (question) => worker.postMessage(question),
    end: async () => void (await worker.terminate()),
  };
};

/** Starts a process, which frees all its memory when it exits, for large answers. */
export const startProcess: StartWorker = (data, memoryMb, { onAnswer, onLost }) => {
  const child = forkProgram(program, {
    data,
    memoryMb,
    onMessage: (answer) => onAnswer(answer as WorkerAnswer),
  });
  child.exit.then(
    (exit) =>
      onLost(
        ranOutOfMemory(exit)
          ? tooLarge(memoryMb)
          : new Error(`the answer process exited with ${exit.code ?? exit.signal}`),
      ),
    onLost,
  );
  return { post: (question) => child.send(question), end: () => child.stop('SIGKILL') };
};

/**
 * Queues questions for a worker with a separate database connection, which computes one answer after the
 * other. The worker starts with the first question, and again after it failed or ended.
 */
export class AnswerQueue {
  readonly #start: StartWorker;
  readonly #data: WorkerData;
  readonly #limits: QueueLimits;
  readonly #queue: Waiting[] = [];
  #worker: AnswerWorker | null = null;
  #current: Waiting | null = null;
  #nextId = 1;
  #idle: NodeJS.Timeout | undefined;

  constructor(start: StartWorker, data: WorkerData, limits: QueueLimits) {
    this.#start = start;
    this.#data = data;
    this.#limits = limits;
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /**
   * Resolves with the bytes of an answer. Rejects with a problem (503 if too many questions are waiting), or
   * with the reason of a signal that dropped or interrupted the question.
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
    for (const { reject } of this.#queue.splice(0)) reject(new Error('The server is stopping.'));
    await this.#end(new Error('The server is stopping.'));
  }

  async #end(reason: unknown): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    this.#fail(reason);
    await worker?.end();
  }

  #next(): void {
    if (this.#current) return;
    clearTimeout(this.#idle);
    this.#current = this.#queue.shift() ?? null;
    if (!this.#current) {
      this.#endWhenIdle();
      return;
    }
    this.#worker ??= this.#startWorker();
    this.#worker.post(this.#current.question);
  }

  #endWhenIdle(): void {
    const { idleMs } = this.#limits;
    if (idleMs === null || !this.#worker) return;
    this.#idle = setTimeout(() => void this.#end(null), idleMs).unref();
  }

  #startWorker(): AnswerWorker {
    const worker = this.#start(this.#data, this.#limits.memoryMb, {
      onAnswer: (answer) => {
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
      },
      onLost: (error) => {
        if (this.#worker !== worker) return;
        this.#worker = null;
        this.#fail(error);
        this.#next();
      },
    });
    return worker;
  }

  #fail(error: unknown): void {
    const current = this.#current;
    this.#current = null;
    current?.reject(error);
  }
}

function tooMany(waiting: number): ProblemError {
  return new ProblemError({
    status: 503,
    detail: `${waiting} requests are waiting for their results.`,
    remedy: `Try again in ${retryAfterS} s.`,
    headers: { 'Retry-After': String(retryAfterS) },
  });
}

function tooLarge(memoryMb: number): ProblemError {
  return new ProblemError({
    status: 422,
    detail: `This request needs more than ${memoryMb} MB of memory.`,
    remedy: 'Select fewer runs, or export the experiment and analyse the files.',
  });
}
