import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Smaller answers fit into one packet anyway. */
const minBytes = 1400;
/** Quick enough to do for every answer. */
const brotliQuality = 4;

export type Encoding = 'br' | 'gzip';

/** The encoding the client likes best of those we have. */
export function chooseEncoding(request: Request): Encoding | null {
  const best = request.acceptsEncodings('br', 'gzip', 'identity');
  return best === 'br' || best === 'gzip' ? best : null;
}

export function compress(body: Buffer, encoding: Encoding, quality = brotliQuality): Promise<Buffer> {
  if (encoding === 'gzip') return compressGzip(body, { level: 6 });
  return compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
}

/** Sends a text as it is or compressed. */
export async function sendText(request: Request, response: Response, text: string): Promise<void> {
  const body = Buffer.from(text, 'utf8');
  const encoding = body.length >= minBytes ? chooseEncoding(request) : null;
  response.vary('Accept-Encoding');
  if (encoding) response.set('Content-Encoding', encoding);
  response.send(encoding ? await compress(body, encoding) : body);
}
