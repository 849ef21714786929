import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { notFound, ProblemError } from '../../base/errors.ts';
import { accessRoles } from '../../store/settings/token-store.ts';
import { isEncrypted } from '../guards/direct-caller.ts';
import { sessionCookie, sessionMs } from '../guards/gate.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';

const sessionSchema = z.strictObject({
  /** False for a program of this machine while no administrator token is set. */
  loginRequired: z.boolean(),
  role: z.enum(accessRoles).nullable(),
});
const tokenSchema = z.strictObject({
  id: z.int(),
  name: z.string(),
  role: z.enum(accessRoles),
  createdAt: z.number(),
  lastUsedAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
});
const newTokenSchema = z.strictObject({ name: z.string().trim().min(1).max(80), role: z.enum(accessRoles) });

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
    route({
      method: 'get',
      path: '/session',
      summary: 'Say who is logged in',
      access: 'open',
      response: { kind: 'json', status: 200, schema: sessionSchema },
      handle: ({ caller }) => ({ loginRequired: gate.loginRequired(caller.request), role: caller.role }),
    }),
    route({
      method: 'post',
      path: '/session',
      summary: 'Log a browser in with a token; sets an HttpOnly cookie',
      access: 'open',
      body: z.strictObject({ token: z.string().min(1).max(200) }),
      response: { kind: 'json', status: 200, schema: sessionSchema },
      handle: ({ body, caller }) => {
        const opened = gate.openSession(body.token, caller.request);
        if (!opened) {
          throw new ProblemError({
            status: 401,
            detail: 'This token is unknown or revoked.',
            remedy: 'Ask an administrator for a token.',
          });
        }
        caller.setHeader(
          'Set-Cookie',
          cookie({ value: opened.session, maxAgeMs: sessionMs }, caller.request),
        );
        return { loginRequired: gate.loginRequired(caller.request), role: opened.role };
      },
    }),
    route({
      method: 'delete',
      path: '/session',
      summary: 'Log out',
      access: 'open',
      response: { kind: 'nothing' },
      handle: ({ caller }) => {
        gate.endSession(caller.request);
        caller.setHeader('Set-Cookie', cookie({ value: '', maxAgeMs: 0 }, caller.request));
        recheckViewers();
      },
    }),
    route({
      method: 'get',
      path: '/tokens',
      summary: 'List API tokens, without their secrets',
      access: 'administrator',
      response: { kind: 'json', status: 200, schema: z.strictObject({ items: z.array(tokenSchema) }) },
      handle: () => ({ items: tokens.list() }),
    }),
    route({
      method: 'post',
      path: '/tokens',
      summary: 'Make an API token; its secret is shown this once',
      access: 'administrator',
      body: newTokenSchema,
      response: {
        kind: 'json',
        status: 201,
        schema: z.strictObject({ token: tokenSchema, secret: z.string() }),
      },
      handle: ({ body, caller }) => {
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
      },
    }),
    route({
      method: 'delete',
      path: '/tokens/{id}',
      summary: 'Revoke an API token and the sessions opened with it',
      access: 'administrator',
      params: z.strictObject({ id: idParam }),
      response: { kind: 'nothing' },
      handle: ({ params: { id } }) => {
        if (!tokens.revoke(id)) throw notFound('token', id);
        recheckViewers();
      },
    }),
  ];
}
