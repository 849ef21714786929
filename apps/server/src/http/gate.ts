import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ProblemError } from '../errors.ts';
import { writeIfPossible } from '../store/storage-error.ts';
import { type AccessRole, accessRoles, hashSecret, type TokenStore } from '../store/token-store.ts';
import type { RouteAccess } from './route.ts';

export const sessionCookie = 'mqttlab_session';
export const sessionMs = 7 * 86_400_000;

/** A use is noted at most this often, so that reading stays reading. */
const touchEveryMs = 60_000;

export interface Gate {
  readonly loginRequired: boolean;
  /** Role of the caller; null when not logged in. Without login everybody on this machine is administrator. */
  roleOf(request: IncomingMessage): AccessRole | null;
  /** Throws a 401 or 403 problem unless the caller may. */
  require(access: RouteAccess, request: IncomingMessage): AccessRole | null;
  /** Secret of a new session; null when the token is unknown or revoked. */
  openSession(token: string): { session: string; role: AccessRole } | null;
  endSession(request: IncomingMessage): void;
}

export interface GateOptions {
  tokens: TokenStore;
  loginRequired: boolean;
  /** From MQTTLAB_ADMIN_TOKEN; null without. */
  adminToken: string | null;
  now?: () => number;
}

/** Decides who a caller is, from `Authorization: Bearer` or the session cookie. */
export function makeGate({ tokens, loginRequired, adminToken, now = Date.now }: GateOptions): Gate {
  const adminHash = adminToken === null ? null : hashSecret(adminToken);

  const roleOfHash = (hash: string): AccessRole | null => {
    if (adminHash !== null && timingSafeEqual(Buffer.from(adminHash), Buffer.from(hash)))
      return 'administrator';
    const token = tokens.findByHash(hash);
    if (!token) return null;
    if (now() - (token.lastUsedAt ?? 0) > touchEveryMs) writeIfPossible(() => tokens.touch(token.id));
    return token.role;
  };

  const roleOf = (request: IncomingMessage): AccessRole | null => {
    if (!loginRequired) return 'administrator';
    const bearer = /^Bearer (\S{1,200})$/i.exec(request.headers.authorization ?? '')?.[1];
    if (bearer) return roleOfHash(hashSecret(bearer));
    const session = sessionOf(request);
    const hash = session ? tokens.sessionToken(session) : null;
    return hash ? roleOfHash(hash) : null;
  };

  return {
    loginRequired,
    roleOf,
    require(access, request) {
      const role = roleOf(request);
      if (access === 'open') return role;
      if (role === null) throw unauthorised();
      if (accessRoles.indexOf(role) < accessRoles.indexOf(access)) throw forbidden(role, access);
      return role;
    },
    openSession(token) {
      const hash = hashSecret(token);
      const role = roleOfHash(hash);
      return role ? { role, session: tokens.createSession(hash, sessionMs) } : null;
    },
    endSession(request) {
      const session = sessionOf(request);
      if (session) tokens.endSession(session);
    },
  };
}

function sessionOf(request: IncomingMessage): string | null {
  const pair = (request.headers.cookie ?? '')
    .split(/;\s*/)
    .find((text) => text.startsWith(`${sessionCookie}=`));
  return pair?.slice(sessionCookie.length + 1, sessionCookie.length + 201) || null;
}

function unauthorised(): ProblemError {
  return new ProblemError({
    status: 401,
    detail: 'This server asks for a login.',
    remedy: 'Send "Authorization: Bearer <token>", or log in on the page with a token.',
    headers: { 'WWW-Authenticate': 'Bearer realm="mqttlab"' },
  });
}

function forbidden(role: AccessRole, access: AccessRole): ProblemError {
  return new ProblemError({
    status: 403,
    detail: `A token of role ${role} may not do this.`,
    remedy: `Use a token of role ${access}.`,
  });
}
