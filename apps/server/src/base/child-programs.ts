import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { Failure, type FailureReport } from '@mqttlab/shared/kit/failure';
import { type ChildExit, ManagedChild } from '@mqttlab/shared/kit/managed-child';
import type { Problem } from '@mqttlab/shared/messages/http';
import { StorageError, type StorageErrorCode } from '../store/storage-error.ts';
import { ProblemError } from './errors.ts';

/**
 * A program of the server: a module next to the caller ('./name' without extension), and the caller's
 * import.meta.url.
 */
interface Program {
  module: string;
  from: string;
}

/**
 * Returns the program file: in the built server a file next to the caller, in the source tree the module
 * itself. MQTTLAB_PROGRAMS is the URL of a folder with built programs for tests of the source tree; built
 * programs need a tenth of the CPU time.
 */
export function findProgram({ module, from }: Program): URL {
  const built = new URL(`./${module.split('/').at(-1)}.mjs`, process.env.MQTTLAB_PROGRAMS ?? from);
  return existsSync(fileURLToPath(built)) ? built : new URL(`${module}.ts`, from);
}

export const quietArguments = ['--disable-warning=ExperimentalWarning'];

interface ForkOptions {
  /** Data that `forkedData` returns in the process. */
  data: unknown;
  /** Heap limit of the process. */
  memoryMb: number;
  /** True if the caller reads the standard output. */
  hasOutput?: boolean;
  onMessage: (message: unknown) => void;
}

/** Environment variables that programs of the server use. The server's secrets are not passed on. */
const passedOn = ['NODE_COMPILE_CACHE', 'NODE_ICU_DATA', 'TZ', 'LANG', 'LC_ALL'];

/**
 * V8 collects garbage early instead of fast: the heap grows by at most 20 % between two collections, and the
 * young generation stays small. malloc() uses one arena, because other arenas cannot reuse the free memory in
 * an arena.
 */
const savingFlags = ['--heap-growing-percent=20', '--max-semi-space-size=1'];
const savingEnvironment = { MALLOC_ARENA_MAX: '1' };

/** Starts a program as a process with a bounded heap. All its memory is freed when the process exits. */
export function forkProgram(
  program: Program,
  { data, memoryMb, hasOutput = false, onMessage }: ForkOptions,
): ManagedChild {
  const inherited = passedOn.map((name) => [name, process.env[name]] as const);
  const child = new ManagedChild({
    command: process.execPath,
    args: [
      ...quietArguments,
      `--max-old-space-size=${memoryMb}`,
      ...savingFlags,
      fileURLToPath(findProgram(program)),
      JSON.stringify(data),
    ],
    environment: { ...Object.fromEntries(inherited), ...savingEnvironment },
    inheritsEnvironment: false,
    onMessage,
    serialization: 'advanced',
    stdout: hasOutput ? 'stream' : 'ignore',
    stderr: 'ignore',
    killAfterMs: 0,
  });
  child.start();
  return child;
}

/** Nice value of forked programs, because requests and measurements have priority. */
const lowPriority = 10;

/**
 * Returns the data for a program that forkProgram started, lowers its priority, and ends it together with its
 * parent.
 */
export function forkedData<Data>(): Data {
  setPriority(lowPriority);
  process.once('disconnect', () => process.exit(1));
  return JSON.parse(process.argv[2] ?? '');
}

/**
 * Returns true if V8 ended the process because its heap was full, or the kernel ended it because the
 * machine's memory was full.
 */
export function ranOutOfMemory({ code, signal }: ChildExit): boolean {
  return signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134;
}

type ThreadMessage<T> = { value: T } | { problem: Problem };

interface ThreadTask extends Program {
  data: unknown;
  /** Thrown if the work needs too much time or memory. */
  tooMuch: ProblemError;
}

const timeoutMs = 20_000;
const memoryMb = 512;

/** Runs work in a thread, so that it does not block the event loop. Rejects with the thread's problem. */
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
      worker.once('exit', (code) => reject(new Error(`a thread exited with ${code} and no result`)));
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

/** Does the work in the thread and sends its result or the problem. */
export function answerInThread<Data, T>(work: (data: Data) => T): void {
  const send = (message: ThreadMessage<T>): void => parentPort?.postMessage(message);
  try {
    send({ value: work(workerData as Data) });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    send({ problem: error.problem });
  }
}

/** An error in a form that can be sent between threads or processes; the receiver restores the same class. */
export type PackedError =
  | { kind: 'problem'; problem: Problem }
  | { kind: 'failure'; report: FailureReport }
  | { kind: 'storage'; code: StorageErrorCode; message: string; remedy: string }
  | { kind: 'other'; text: string };

export function packError(error: unknown): PackedError {
  if (error instanceof ProblemError) return { kind: 'problem', problem: error.problem };
  if (error instanceof StorageError) {
    const { code, message, remedy } = error;
    return { kind: 'storage', code, message, remedy };
  }
  if (error instanceof Failure) return { kind: 'failure', report: error.report };
  return { kind: 'other', text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function unpackError(packed: PackedError): Error {
  if (packed.kind === 'problem') {
    const { status, detail, remedy, issues } = packed.problem;
    return new ProblemError({ status, detail, remedy, issues });
  }
  if (packed.kind === 'failure') return new Failure(packed.report);
  if (packed.kind === 'storage') {
    return new StorageError(packed.code, packed.message, { remedy: packed.remedy });
  }
  return new Error(packed.text);
}
