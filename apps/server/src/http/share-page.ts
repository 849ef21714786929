import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressOf } from '@mqttlab/shared/messages/address';
import type { Share } from '@mqttlab/shared/messages/shares';
import type { RequestHandler } from 'express';
import { isEncrypted } from './guards/direct-caller.ts';
import type { ApiParts } from './parts.ts';
import { findOpen, isForAll } from './routes/shares.ts';

/** The page of a share link, with what chats and mail programs show beside its address (Open Graph, ogp.me). */
export function previewShare(parts: ApiParts, pageFolder: string): RequestHandler {
  return async (request, response, next) => {
    const share = request.accepts('html') ? findForAll(parts, String(request.params.token)) : null;
    const page = share && (await readFile(join(pageFolder, 'index.html'), 'utf8').catch(() => null));
    if (!page) {
      next();
      return;
    }
    const origin = `${isEncrypted(request) ? 'https' : 'http'}://${request.headers.host ?? ''}`;
    response.set('Cache-Control', 'no-store').type('text/html; charset=utf-8');
    response.send(page.replace('</head>', () => `${tagsOf(share, origin, parts)}</head>`));
  };
}

function findForAll(parts: ApiParts, token: string): Share | null {
  try {
    const { share } = findOpen(parts, token);
    return isForAll(share) ? share : null;
  } catch {
    // The page itself says what became of the link.
    return null;
  }
}

function tagsOf({ token, title, path }: Share, origin: string, { shares }: ApiParts): string {
  const picture = addressOf('GET /shared/{token}/preview.png', { params: { token } });
  const tags: [string, string][] = [
    ['og:type', 'article'],
    ['og:site_name', 'mqttlab'],
    ['og:title', title],
    ['og:url', origin + path],
    ...(shares.image(token) ? [['og:image', origin + picture] as [string, string]] : []),
  ];
  return tags.map(([name, content]) => `<meta property="${name}" content="${escapeHtml(content)}">`).join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter] ?? letter);
