import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';

const compressBrotli = promisify(brotliCompress);
const decompressBrotli = promisify(brotliDecompress);
const compressGzip = promisify(gzip);

/** Fast enough to use for every answer. */
const brotliQuality = 4;

export type Encoding = 'br' | 'gzip';

export function compress(body: Uint8Array, encoding: Encoding, quality = brotliQuality): Promise<Buffer> {
  if (encoding === 'gzip') return compressGzip(body, { level: 6 });
  return compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
}

/** JSON in UTF-8 that is ready to send, and compressed at most once for each encoding. */
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

  /** Memory that this takes, with everything compressed so far. */
  get size(): number {
    return this.bytes.length + this.#compressedBytes;
  }
}
