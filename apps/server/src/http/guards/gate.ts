import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type AccessRole, accessRoles } from '@mqttlab/shared/messages/access';
import type { RouteAccess } from '@mqttlab/shared/messages/api/endpoint';
import { ProblemError } from '../../base/errors.ts';
import { hashSecret, type TokenStore } from '../../store/settings/token-store.ts';
import { writeIfPossible } from '../../store/storage-error.ts';
import { callerAddress, isDirectLocal } from './direct-caller.ts';
import { makeLoginLimit } from './login-limit.ts';

export const sessionCookie = 'mqttlab_session';
export const sessionMs = 7 * 86_400_000;

/** A use is noted at most this often, so that reading stays reading. */
const touchEveryMs = 60_000;

export interface Gate {
  /**
   * Whether this caller needs a token. A server on loopback is open to programs of this machine while nobody has set
   * an administrator token, but not to what a proxy hands on.
   */
  loginRequired(request: IncomingMessage): boolean;
  /** Role of the caller; null when not logged in. Throws a 429 problem after too many wrong tokens. */
  roleOf(request: IncomingMessage): AccessRole | null;
  /** Whether somebody who was let in may stay: not once the token is revoked or the session over. */
  mayStay(request: IncomingMessage): boolean;
  /** Throws a 401, 403 or 429 problem unless the caller may. */
  require(access: RouteAccess, request: IncomingMessage): AccessRole | null;
  /** Secret of a new session; null when the token is unknown or revoked. Throws a 429 problem. */
  openSession(token: string, request: IncomingMessage): { session: string; role: AccessRole } | null;
  endSession(request: IncomingMessage): void;
}

/** For the server's log: who tried to log in. */
export interface LoginAttempt {
  address: string;
  /** null: the token was wrong. */
  role: AccessRole | null;
  /** Wrong ones in a row from this address. */
  failures: number;
}

export interface GateOptions {
  tokens: TokenStore;
  /** The server can be reached from other machines. */
  loginRequired: boolean;
  /** From MQTTLAB_ADMIN_TOKEN; null without. */
  adminToken: string | null;
  now?: () => number;
  onAttempt?: (attempt: LoginAttempt) => void;
}

/** Decides who a caller is, from `Authorization: Bearer` or the session cookie. */
export function makeGate(options: GateOptions): Gate {
  const { tokens, adminToken, now = Date.now, onAttempt = () => {} } = options;
  const adminHash = adminToken === null ? null : hashSecret(adminToken);
  const limit = makeLoginLimit(now);
  // A request is asked about several times; a wrong token counts once.
  const decided = new WeakMap<IncomingMessage, AccessRole | null>();

  const roleOfHash = (hash: string): AccessRole | null => {
    if (adminHash !== null && timingSafeEqual(Buffer.from(adminHash), Buffer.from(hash)))
      return 'administrator';
    return tokens.findByHash(hash)?.role ?? null;
  };
  /** When it was used last is worth knowing, but nobody is refused where a full disk does not take it. */
  const noteUse = (hash: string): void => {
    const token = tokens.findByHash(hash);
    if (!token || now() - (token.lastUsedAt ?? 0) <= touchEveryMs) return;
    writeIfPossible(() => tokens.touch(token.id));
  };
  const loginRequired = (request: IncomingMessage): boolean =>
    options.loginRequired ||
    adminHash !== null ||
    !isDirectLocal(request) ||
    tokens.countAdministrators() > 0;

  /** Somebody shows a token: wrong ones are counted, logged and slowed. */
  const tryToken = (hash: string, request: IncomingMessage): AccessRole | null => {
    const address = callerAddress(request);
    limit.check(address, hash);
    const role = roleOfHash(hash);
    if (role === null) onAttempt({ address, role, failures: limit.failed(address) });
    else limit.succeeded(address, hash);
    return role;
  };
  const shownBy = (request: IncomingMessage): { hash: string; isBearer: boolean } | null => {
    const bearer = bearerOf(request);
    if (bearer) return { hash: hashSecret(bearer), isBearer: true };
    const session = sessionOf(request);
    const hash = session ? tokens.sessionToken(session) : null;
    return hash ? { hash, isBearer: false } : null;
  };
  const decide = (request: IncomingMessage): AccessRole | null => {
    if (!loginRequired(request)) return 'administrator';
    const shown = shownBy(request);
    if (shown === null) return null;
    const role = shown.isBearer ? tryToken(shown.hash, request) : roleOfHash(shown.hash);
    if (role !== null) noteUse(shown.hash);
    return role;
  };
  const roleOf = (request: IncomingMessage): AccessRole | null => {
    const known = decided.get(request);
    if (known !== undefined) return known;
    const role = decide(request);
    decided.set(request, role);
    return role;
  };

  return {
    loginRequired,
    roleOf,
    mayStay(request) {
      if (!loginRequired(request)) return true;
      const shown = shownBy(request);
      return shown !== null && roleOfHash(shown.hash) !== null;
    },
    require(access, request) {
      const role = roleOf(request);
      if (access === 'open') return role;
      if (role === null) throw unauthorised(adminHash === null && tokens.countAdministrators() === 0);
      if (accessRoles.indexOf(role) < accessRoles.indexOf(access)) throw forbidden(role, access);
      return role;
    },
    openSession(token, request) {
      const hash = hashSecret(token);
      const role = tryToken(hash, request);
      if (role === null) return null;
      onAttempt({ address: callerAddress(request), role, failures: 0 });
      return { role, session: tokens.createSession(hash, sessionMs) };
    },
    endSession(request) {
      const session = sessionOf(request);
      if (session) tokens.endSession(session);
    },
  };
}

function bearerOf(request: IncomingMessage): string | undefined {
  return /^Bearer (\S{1,200})$/i.exec(request.headers.authorization ?? '')?.[1];
}

function sessionOf(request: IncomingMessage): string | null {
  const pair = (request.headers.cookie ?? '')
    .split(/;\s*/)
    .find((text) => text.startsWith(`${sessionCookie}=`));
  return pair?.slice(sessionCookie.length + 1, sessionCookie.length + 201) || null;
}

/** `hasNone`: there is no administrator token yet, so that only this machine itself is let in. */
function unauthorised(hasNone: boolean): ProblemError {
  return new ProblemError({
    status: 401,
    detail: hasNone
      ? 'This request came through a proxy or names another host than this machine, and no administrator token is set.'
      : 'This server asks for a login.',
    remedy: hasNone
      ? 'Set MQTTLAB_ADMIN_TOKEN, or make one with "npm run mqttlab -- token create", and log in with it.'
      : 'Send "Authorization: Bearer <token>", or log in on the page with a token.',
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
