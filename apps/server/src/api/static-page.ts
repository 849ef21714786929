import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { entryOf } from '@mqttlab/shared/domain/bounds';
import type { Request, RequestHandler, Response } from 'express';
import { compress, type Encoding } from '../base/encoded-json.ts';
import { ProblemError } from '../base/errors.ts';
import { chooseEncoding } from './route.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** Types of files that are not compressed already. */
const compressible = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt', '.map']);

interface PageFile {
  path: string;
  etag: string;
  mtimeMs: number;
}

/**
 * Serves the built page. Hashed assets are cached permanently, other files are revalidated, and every page
 * address returns index.html.
 */
export function servePage(folder: string): RequestHandler {
  const encoded = new Map<string, Promise<Buffer>>();

  const bodyOf = (file: PageFile, encoding: Encoding | null): Promise<Buffer> => {
    const key = `${file.path} ${file.etag} ${encoding ?? ''}`;
    const kept = encoded.get(key);
    if (kept) return kept;
    const body = readFile(file.path).then((plain) => (encoding ? compress(plain, encoding, 'small') : plain));
    encoded.set(key, body);
    body.catch(() => encoded.delete(key));
    return body;
  };

  return async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      next();
      return;
    }
    const file = (await findFile(folder, request.path)) ?? (await findIndex(folder, request));
    if (!file) {
      next();
      return;
    }
    if (setHeaders(request, response, file)) return;
    const encoding = compressible.has(extname(file.path)) ? chooseEncoding(request) : null;
    if (encoding) response.set('Content-Encoding', encoding);
    response.end(request.method === 'HEAD' ? undefined : await bodyOf(file, encoding));
  };
}

/** Sets the headers. Returns true if the client has a current copy, which completes the response. */
function setHeaders(request: Request, response: Response, { path, etag }: PageFile): boolean {
  const hashed = path.includes(`${sep}assets${sep}`);
  response.set({
    'Content-Type': entryOf(contentTypes, extname(path)) ?? 'application/octet-stream',
    'Cache-Control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: etag,
    Vary: 'Accept-Encoding',
  });
  if (request.headers['if-none-match'] !== etag) return false;
  response.status(304).end();
  return true;
}

async function findFile(folder: string, address: string): Promise<PageFile | null> {
  const decoded = decodeAddress(address);
  const named = normalize(join(folder, decoded ?? ''));
  if (decoded === null || !named.startsWith(folder + sep)) return null;
  const isFolder = (await stat(named).catch(() => null))?.isDirectory() ?? false;
  const path = isFolder ? join(named, 'index.html') : named;
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) return null;
  const { mtimeMs, size } = found;
  return { path, mtimeMs, etag: `W/"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"` };
}

function decodeAddress(address: string): string | null {
  try {
    const decoded = decodeURIComponent(address);
    return decoded.includes('\0') ? null : decoded;
  } catch {
    return null;
  }
}

/** Returns index.html for page addresses only: a missing asset stays missing. */
async function findIndex(folder: string, request: Request): Promise<PageFile | null> {
  if (extname(request.path) !== '' || !request.accepts('html')) return null;
  const index = await findFile(folder, '/index.html');
  if (index) return index;
  throw new ProblemError({
    status: 503,
    detail: 'The page has not been built.',
    remedy: 'Run "npm start", or "npm run build" and reload; the API works without the page.',
  });
}
