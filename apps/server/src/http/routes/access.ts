import type { IncomingMessage } from 'node:http';
import { notFound, ProblemError } from '../../base/errors.ts';
import { isEncrypted } from '../guards/direct-caller.ts';
import { sessionCookie, sessionMs } from '../guards/gate.ts';
import type { ApiParts } from '../parts.ts';
import { on, type Route } from '../route.ts';

interface Cookie {
  value: string;
  maxAgeMs: number;
}

/** Secure wherever the browser came over TLS, here or at a proxy. */
function cookie({ value, maxAgeMs }: Cookie, request: IncomingMessage): string {
  const seconds = Math.floor(maxAgeMs / 1000);
  const secure = isEncrypted(request) ? '; Secure' : '';
  return `${sessionCookie}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Login and API tokens. */
export function accessRoutes({ gate, tokens, recheckViewers }: ApiParts): Route[] {
  return [
    on('GET /session', ({ caller }) => ({
      loginRequired: gate.loginRequired(caller.request),
      role: caller.role,
    })),
    on('POST /session', ({ body, caller }) => {
      const opened = gate.openSession(body.token, caller.request);
      if (!opened) {
        throw new ProblemError({
          status: 401,
          detail: 'This token is unknown or revoked.',
          remedy: 'Ask an administrator for a token.',
        });
      }
      caller.setHeader('Set-Cookie', cookie({ value: opened.session, maxAgeMs: sessionMs }, caller.request));
      return { loginRequired: gate.loginRequired(caller.request), role: opened.role };
    }),
    on('DELETE /session', ({ caller }) => {
      gate.endSession(caller.request);
      caller.setHeader('Set-Cookie', cookie({ value: '', maxAgeMs: 0 }, caller.request));
      recheckViewers();
    }),
    on('GET /tokens', () => ({ items: tokens.list() })),
    on('POST /tokens', ({ body, caller }) => {
      const wasOpen = !gate.loginRequired(caller.request);
      const made = tokens.create(body);
      // From the first administrator token on a login is required: whoever made it here stays logged in.
      if (wasOpen && gate.loginRequired(caller.request)) {
        const opened = gate.openSession(made.secret, caller.request);
        const value = opened?.session ?? '';
        caller.setHeader('Set-Cookie', cookie({ value, maxAgeMs: sessionMs }, caller.request));
        recheckViewers();
      }
      return made;
    }),
    on('DELETE /tokens/{id}', ({ params: { id } }) => {
      if (!tokens.revoke(id)) throw notFound('token', id);
      recheckViewers();
    }),
  ];
}
