import { once } from 'node:events';
import { Readable } from 'node:stream';
import { type PackedError, unpackError } from '../analysis/answers/packed-error.ts';
import { ProblemError } from '../base/errors.ts';
import { forkProgram, ranOutOfMemory } from '../base/fork-program.ts';
import type { BundleChoice } from './write-bundle.ts';

/** What the process that writes a bundle gets. */
export interface WriterData extends BundleChoice {
  /** The key of its secrets is in the same folder. */
  databasePath: string;
  /** Of the key that signs. */
  keyPath: string;
}

/** As for reports. */
const memoryMb = 1024;

/**
 * A bundle that a process writes while it is read. Rejects with a problem if the process fails before its first byte;
 * afterwards the stream ends with an error. Destroying it, and `signal`, end the process.
 */
export async function writeBundleInProcess(data: WriterData, signal: AbortSignal): Promise<Readable> {
  signal.throwIfAborted();
  const child = forkProgram(
    { module: './bundle-writer', from: import.meta.url },
    { data, memoryMb, hasOutput: true },
  );
  let failure: Error | null = null;
  child.on('message', (error) => {
    failure = unpackError(error as PackedError);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.once('close', (code, how) => {
      if (failure === null && code === 0) resolve();
      else reject(failure ?? lost(code, how));
    });
  });
  ended.catch(() => {});
  async function* bytes(): AsyncGenerator<Buffer> {
    yield* child.stdout ?? [];
    // A process that fails ends its output, too.
    await ended;
  }
  const output = Readable.from(bytes(), { objectMode: false });
  const stop = (): void => void output.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  output.once('close', () => {
    signal.removeEventListener('abort', stop);
    child.kill('SIGKILL');
  });
  await once(output, 'readable');
  return output;
}

function lost(code: number | null, signal: NodeJS.Signals | null): ProblemError {
  const remedy = 'Export it again; if that fails, save its runs as CSV or Parquet.';
  return ranOutOfMemory(code, signal)
    ? new ProblemError({
        status: 422,
        detail: `Writing the bundle takes more than ${memoryMb} MB of memory.`,
        remedy,
      })
    : new ProblemError({
        status: 500,
        detail: `The process that writes the bundle ended with ${code ?? signal}.`,
        remedy,
      });
}
