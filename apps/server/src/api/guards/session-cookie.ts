import type { IncomingMessage } from 'node:http';
import { isEncrypted } from './direct-caller.ts';

interface CookieOptions {
  name: string;
  value: string;
  path: string;
  maxAgeMs: number;
}

/** Secure if the browser connected over TLS, here or at a proxy. */
export function makeCookie({ name, value, path, maxAgeMs }: CookieOptions, request: IncomingMessage): string {
  const seconds = Math.floor(maxAgeMs / 1000);
  const secure = isEncrypted(request) ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** null if there is none. */
export function readCookie(request: IncomingMessage, name: string): string | null {
  const pair = (request.headers.cookie ?? '').split(/;\s*/).find((text) => text.startsWith(`${name}=`));
  return pair?.slice(name.length + 1, name.length + 1001) || null;
}

const name = 'mqttlab_session';
export const sessionMs = 7 * 86_400_000;

export const sessionSecretOf = (request: IncomingMessage): string | null => readCookie(request, name);

/** null deletes the cookie. */
export function makeSessionCookie(secret: string | null, request: IncomingMessage): string {
  const maxAgeMs = secret === null ? 0 : sessionMs;
  return makeCookie({ name, value: secret ?? '', path: '/', maxAgeMs }, request);
}
