import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';

const compressBrotli = promisify(brotliCompress);
const decompressBrotli = promisify(brotliDecompress);
const compressGzip = promisify(gzip);

/** Compression levels: fast enough for every response, and small for files that are compressed only once. */
const levels = { fast: { br: 4, gzip: 6 }, small: { br: 9, gzip: 9 } } as const;

export type Encoding = 'br' | 'gzip';

export function compress(
  body: Uint8Array,
  encoding: Encoding,
  goal: keyof typeof levels = 'fast',
): Promise<Buffer> {
  const level = levels[goal][encoding];
  if (encoding === 'gzip') return compressGzip(body, { level });
  return compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: level } });
}

/** JSON in UTF-8 that is ready to be sent, and compressed at most once per encoding. */
export class EncodedJson {
  readonly bytes: Uint8Array;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();
  #compressedBytes = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Inverse of `in('br')`. */
  static async unpack(packed: Uint8Array): Promise<EncodedJson> {
    const json = new EncodedJson(await decompressBrotli(packed));
    json.#compressed.set('br', Promise.resolve(Buffer.from(packed)));
    json.#compressedBytes = packed.length;
    return json;
  }

  in(encoding: Encoding): Promise<Buffer> {
    const made = this.#compressed.get(encoding);
    if (made) return made;
    const making = compress(this.bytes, encoding).then((body) => {
      this.#compressedBytes += body.length;
      return body;
    });
    this.#compressed.set(encoding, making);
    return making;
  }

  parse<T>(): T {
    return JSON.parse(Buffer.from(this.bytes).toString('utf8'));
  }

  /** Memory in use, including compressed copies. */
  get size(): number {
    return this.bytes.length + this.#compressedBytes;
  }
}

/** Lists with fewer entries are written in one step. */
const longList = 50;
/** Number of characters between two pauses. */
const sliceCharacters = 200_000;

/** Like JSON.stringify(value), but yields to the event loop if the value is or contains a long list. */
export async function stringifyInSlices(value: unknown): Promise<string> {
  const parts: string[] = [];
  let written = 0;
  const push = async (text: string): Promise<void> => {
    parts.push(text);
    written += text.length;
    if (written < sliceCharacters) return;
    written = 0;
    await yieldToEventLoop();
  };
  const write = async (part: unknown, depth: number): Promise<void> => {
    if (Array.isArray(part) && part.length >= longList) {
      for (const [index, entry] of part.entries()) {
        await push(`${index === 0 ? '[' : ','}${JSON.stringify(entry) ?? 'null'}`);
      }
      await push(']');
    } else if (depth > 0 && isPlain(part)) {
      let isFirst = true;
      await push('{');
      for (const [name, entry] of Object.entries(part)) {
        if (entry === undefined) continue;
        await push(`${isFirst ? '' : ','}${JSON.stringify(name)}:`);
        isFirst = false;
        await write(entry, depth - 1);
      }
      await push('}');
    } else await push(JSON.stringify(part) ?? 'null');
  };
  // Maximum depth of lists: the runs in an experiment, the runs in a shared experiment.
  await write(value, 3);
  return parts.join('');
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
