import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { Altered } from '@mqttlab/shared/domain/runs/import-marks';
import type { ChildExit } from '@mqttlab/shared/kit/managed-child';
import type { Problem } from '@mqttlab/shared/messages/http';
import { forkProgram, type PackedError, ranOutOfMemory, unpackError } from '../base/child-programs.ts';
import { ProblemError } from '../base/errors.ts';
import type { BundledExperiment, BundledFile, BundledRun } from './bundle-format.ts';
import type { BundleChoice } from './write-bundle.ts';

/** A file on the server's disk. */
export interface BundleSource {
  path: string;
  bytes: number;
  /** True to import values that the evidence does not support, marked as altered. */
  acceptsAltered: boolean;
}

interface BundleHead {
  head: Omit<BundledExperiment, 'runs'>;
  plan: Plan;
  /** Fingerprint of the key with which the bundle was signed. */
  fingerprint: string;
  /** Values that the evidence does not support; null if there are none. */
  altered: Altered | null;
  /** Number of runs that follow. */
  runs: number;
}

export interface ReadRun {
  run: BundledExperiment['runs'][number];
  results: BundledRun['results'];
  files: BundledFile[];
}

export type BundleMessage =
  | { kind: 'progress'; done: number; all: number }
  | ({ kind: 'head' } & BundleHead)
  | ({ kind: 'run' } & ReadRun)
  | { kind: 'end' }
  | { kind: 'refused'; problem: Problem };

export interface BundleReader extends BundleHead {
  /** Yields the runs, lowest number first; each run is read on request. */
  eachRun(): AsyncGenerator<ReadRun>;
  /** Ends the process. Idempotent. */
  close(): void;
}

interface BundleReaderOptions {
  onProgress: (done: number, all: number) => void;
  signal: AbortSignal;
  memoryMb?: number;
}

/** Memory limit for parsing; 10,000 runs with every metric need far less. */
const defaultMemoryMb = 768;

/**
 * Checks a complete bundle in a separate process with bounded memory, then returns it run by run. A thread is
 * not enough: if it runs out of memory in JSON.parse, the whole process ends. Rejects with a problem that
 * describes the error, or with the reason of `signal`. The signal ends the process immediately.
 */
export async function openBundleInProcess(
  source: BundleSource,
  { onProgress, signal, memoryMb = defaultMemoryMb }: BundleReaderOptions,
): Promise<BundleReader> {
  signal.throwIfAborted();
  let take: ((message: BundleMessage) => void) | null = null;
  let fail: (error: unknown) => void = () => {};
  let failure: unknown = null;
  const end = (error: unknown): void => {
    failure ??= error;
    fail(failure);
    void child.stop('SIGKILL');
  };
  const stop = (): void => end(signal.reason);
  const close = (): void => {
    signal.removeEventListener('abort', stop);
    end(new Error('the bundle was closed'));
  };
  signal.addEventListener('abort', stop, { once: true });
  const child = forkProgram(
    { module: './bundle-process', from: import.meta.url },
    {
      data: source,
      memoryMb,
      onMessage(input) {
        const message = input as BundleMessage;
        if (message.kind === 'progress') onProgress(message.done, message.all);
        else if (message.kind === 'refused') end(toError(message.problem));
        else take?.(message);
      },
    },
  );
  child.exit.then((exit) => {
    const how = exit.code ?? exit.signal;
    const lost = new Error(`the process that reads bundles exited with ${how}`);
    end(ranOutOfMemory(exit) ? tooLarge(memoryMb) : lost);
  }, end);
  const next = (): Promise<BundleMessage> =>
    new Promise((resolve, reject) => {
      take = resolve;
      fail = reject;
      if (failure !== null) reject(failure);
    });

  const head = await next();
  if (head.kind !== 'head') throw new Error(`a bundle begins with ${head.kind}`);
  return {
    head: head.head,
    plan: head.plan,
    fingerprint: head.fingerprint,
    altered: head.altered,
    runs: head.runs,
    async *eachRun() {
      for (;;) {
        const coming = next();
        child.send({ kind: 'next' });
        const message = await coming;
        if (message.kind !== 'run') return;
        // The channel delivers a plain array of bytes.
        yield {
          ...message,
          files: message.files.map((file) => ({ ...file, bytes: Buffer.from(file.bytes) })),
        };
      }
    },
    close,
  };
}

function toError({ status, detail, remedy, issues }: Problem): ProblemError {
  return new ProblemError({ status, detail, remedy, issues });
}

function tooLarge(memoryMb: number): ProblemError {
  return new ProblemError({
    status: 413,
    detail: `Reading the bundle needs more than ${memoryMb} MiB of memory. Nothing from it was stored.`,
    remedy: 'Import it with the version of mqttlab that wrote it, or split the experiment.',
  });
}

/** Input for the process that writes a bundle. */
export interface WriterData extends BundleChoice {
  /** Path of the database. The key for its secrets is in the same folder. */
  databasePath: string;
  /** Path of the signing key. */
  keyPath: string;
}

/** Same limit as for reports. */
const memoryMb = 1024;

/**
 * Returns a bundle that a process writes while the bundle is being read. Rejects with a problem if the
 * process fails before its first byte; later errors end the stream with an error. Destroying the stream, or
 * aborting `signal`, ends the process.
 */
export async function writeBundleInProcess(data: WriterData, signal: AbortSignal): Promise<Readable> {
  signal.throwIfAborted();
  let failure: Error | null = null;
  const child = forkProgram(
    { module: './bundle-writer', from: import.meta.url },
    {
      data,
      memoryMb,
      hasOutput: true,
      onMessage(error) {
        failure = unpackError(error as PackedError);
      },
    },
  );
  const ended = child.exit.then((exit) => {
    if (failure !== null || exit.code !== 0) throw failure ?? lost(exit);
  });
  ended.catch(() => {});
  async function* bytes(): AsyncGenerator<Buffer> {
    yield* child.output;
    // A process that fails also ends its output.
    await ended;
  }
  const output = Readable.from(bytes(), { objectMode: false });
  const stop = (): void => void output.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  output.once('close', () => {
    signal.removeEventListener('abort', stop);
    void child.stop('SIGKILL');
  });
  await once(output, 'readable');
  return output;
}

function lost(exit: ChildExit): ProblemError {
  const remedy = 'Export it again; if that fails, save its runs as CSV or Parquet.';
  return ranOutOfMemory(exit)
    ? new ProblemError({
        status: 422,
        detail: `Writing the bundle needs more than ${memoryMb} MB of memory.`,
        remedy,
      })
    : new ProblemError({
        status: 500,
        detail: `The process that writes the bundle exited with ${exit.code ?? exit.signal}.`,
        remedy,
      });
}
