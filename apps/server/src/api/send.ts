import type { Request, Response } from 'express';
import { compress, type EncodedJson, type Encoding } from '../base/encoded-json.ts';

/** Smaller answers fit into one packet anyway. */
const minBytes = 1400;

/** The client's preferred encoding among the supported ones. */
export function chooseEncoding(request: Request): Encoding | null {
  const best = request.acceptsEncodings('br', 'gzip', 'identity');
  return best === 'br' || best === 'gzip' ? best : null;
}

/** Sends a text, compressed if possible. */
export async function sendText(request: Request, response: Response, text: string): Promise<void> {
  const body = Buffer.from(text, 'utf8');
  const encoding = body.length >= minBytes ? chooseEncoding(request) : null;
  response.vary('Accept-Encoding');
  if (encoding) response.set('Content-Encoding', encoding);
  response.send(encoding ? await compress(body, encoding) : body);
}

/** Sends encoded JSON. Without an ETag: hashing megabytes would block the event loop. */
export async function sendEncoded(request: Request, response: Response, json: EncodedJson): Promise<void> {
  const encoding = json.bytes.length >= minBytes ? chooseEncoding(request) : null;
  response.vary('Accept-Encoding');
  if (encoding) response.set('Content-Encoding', encoding);
  const body = encoding ? await json.in(encoding) : json.bytes;
  response.set('Content-Length', String(body.length));
  response.end(body);
}

/** "E-12-tls-or-not.yaml": plain ASCII, valid on every system and in headers. */
export function fileNameOf(id: string, title: string, ending: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return `${words ? `${id}-${words}` : id}.${ending}`;
}
