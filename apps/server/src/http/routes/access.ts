import * as z from 'zod';
import { notFound, ProblemError } from '../../errors.ts';
import { accessRoles } from '../../store/token-store.ts';
import { sessionCookie, sessionMs } from '../gate.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';

const sessionSchema = z.strictObject({
  /** False when this server listens on its own machine only. */
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

function cookie(value: string, maxAgeMs: number): string {
  const seconds = Math.floor(maxAgeMs / 1000);
  return `${sessionCookie}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
}

/** Login and API tokens. */
export function accessRoutes({ gate, tokens }: ApiParts): Route[] {
  return [
    route({
      method: 'get',
      path: '/session',
      summary: 'Say who is logged in',
      access: 'open',
      response: { kind: 'json', status: 200, schema: sessionSchema },
      handle: ({ caller }) => ({ loginRequired: gate.loginRequired, role: caller.role }),
    }),
    route({
      method: 'post',
      path: '/session',
      summary: 'Log a browser in with a token; sets an HttpOnly cookie',
      access: 'open',
      body: z.strictObject({ token: z.string().min(1).max(200) }),
      response: { kind: 'json', status: 200, schema: sessionSchema },
      handle: ({ body, caller }) => {
        const opened = gate.openSession(body.token);
        if (!opened) {
          throw new ProblemError({
            status: 401,
            detail: 'This token is unknown or revoked.',
            remedy: 'Ask an administrator for a token.',
          });
        }
        caller.setHeader('Set-Cookie', cookie(opened.session, sessionMs));
        return { loginRequired: gate.loginRequired, role: opened.role };
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
        caller.setHeader('Set-Cookie', cookie('', 0));
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
      handle: ({ body }) => tokens.create(body),
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
      },
    }),
  ];
}
