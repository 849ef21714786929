import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ZipFile } from 'yazl';
import type { CrateFile } from './ro-crate.ts';

type Parts = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** A zip whose files are produced while it is read, one after the other, with size and checksum of each. */
export class CrateZip {
  readonly mtime: Date;
  /** The files added so far that have a description. */
  readonly files: CrateFile[] = [];
  readonly #zip = new ZipFile();
  readonly #ended = new AbortController();

  constructor(mtime: Date, signal: AbortSignal) {
    this.mtime = mtime;
    const stop = (): void => void this.output.destroy(toError(signal.reason));
    signal.addEventListener('abort', stop, { once: true });
    this.output.once('close', () => {
      signal.removeEventListener('abort', stop);
      this.#ended.abort(new Error('The reader of the bundle has disconnected.'));
    });
    if (signal.aborted) stop();
  }

  get output(): Readable {
    return this.#zip.outputStream as Readable;
  }

  /** Resolves when the reader has received the whole file. Rejects if it was destroyed before, or if `parts` throws. */
  async add(
    path: string,
    parts: Parts,
    about: [description: string, format: string] | null,
    { compress = true }: { compress?: boolean } = {},
  ): Promise<void> {
    this.#ended.signal.throwIfAborted();
    const hash = createHash('sha256');
    let bytes = 0;
    async function* measured(): AsyncGenerator<Buffer> {
      for await (const part of parts) {
        const buffer = Buffer.from(part);
        hash.update(buffer);
        bytes += buffer.length;
        yield buffer;
        await yieldToEventLoop();
      }
    }
    // One part is buffered at a time: a part is as large as the content of a run.
    const content = Readable.from(measured(), { objectMode: false, highWaterMark: 1 });
    const taken = once(content, 'end', { signal: this.#ended.signal });
    this.#zip.addReadStreamLazy(path, { mtime: this.mtime, compress }, handOver(content));
    releasePool(this.#zip);
    try {
      await taken;
    } catch (error) {
      content.destroy();
      throw this.#ended.signal.aborted ? this.#ended.signal.reason : error;
    }
    if (about === null) return;
    const [description, encodingFormat] = about;
    this.files.push({ path, bytes, sha256: hash.digest('hex'), description, encodingFormat });
  }

  end(): void {
    this.#zip.end();
  }

  /** Ends the output with an error, so that it does not look complete. */
  fail(error: unknown): void {
    this.output.destroy(toError(error));
  }
}

/**
 * Returns a function for yazl to open a stream. yazl stores it with each entry until the end, so it must not retain the
 * stream.
 */
function handOver(stream: Readable): (take: (error: null, stream: Readable) => void) => void {
  let held: Readable | null = stream;
  return (take) => {
    const given = held;
    held = null;
    if (given) take(null, given);
  };
}

/**
 * Copies the name of the last entry, which yazl keeps until the end. It is a slice of Node's pool of small buffers, and
 * would keep 64 kB of contents of files with it.
 */
function releasePool(zip: ZipFile): void {
  const { entries } = zip as unknown as { entries: { utf8FileName: Uint8Array }[] };
  const entry = entries.at(-1);
  if (entry) entry.utf8FileName = Buffer.from(Uint8Array.from(entry.utf8FileName).buffer);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
