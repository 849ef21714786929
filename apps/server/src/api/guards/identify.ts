import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AccessRole, TokenScope } from '@mqttlab/shared/messages/access';
import { hashSecret, type SessionOwner } from '../../store/settings/access-store.ts';
import { writeIfPossible } from '../../store/storage-error.ts';
import type { Stores } from '../../store/stores.ts';
import { isEncrypted } from './request-origin.ts';

/** The caller. */
export interface Identity {
  /** Name in the activity log: an account, a token, or this machine. */
  name: string;
  role: AccessRole;
  scope: TokenScope;
  accountId: number | null;
  sessionId: number | null;
}

/** Minimum interval in ms between records of a token's use, so that reads rarely write. */
const touchEveryMs = 60_000;

export const thisMachine: Identity = {
  name: 'this machine',
  role: 'administrator',
  scope: 'everything',
  accountId: null,
  sessionId: null,
};

/** Returns the author of a change; null if accounts are off. */
export function personOf(identity: Identity | null): string | null {
  return identity === null || identity.name === thisMachine.name ? null : identity.name;
}

/** Credentials of a request: a token, or the cookie of a session. */
export type Shown = { kind: 'token'; hash: string } | { kind: 'session'; id: number; owner: SessionOwner };

/** Identifies the owners of tokens and sessions from the database. */
export function makeIdentities(
  { tokens, accounts, sessions }: Pick<Stores, 'tokens' | 'accounts' | 'sessions'>,
  { adminToken, now }: { adminToken: string | null; now: () => number },
) {
  const adminHash = adminToken === null ? null : hashSecret(adminToken);
  const noteUse = (lastUsedAt: number | null, touch: () => void): void => {
    // A full disk does not lock users out.
    if (now() - (lastUsedAt ?? 0) > touchEveryMs) writeIfPossible(touch);
  };
  const ofToken = (hash: string): Identity | null => {
    if (adminHash !== null && timingSafeEqual(Buffer.from(adminHash), Buffer.from(hash)))
      return { ...thisMachine, name: 'token MQTTLAB_ADMIN_TOKEN' };
    const token = tokens.findTokenByHash(hash);
    if (!token) return null;
    noteUse(token.lastUsedAt, () => tokens.touchToken(token.id));
    const { role, scope } = token;
    return { name: `token ${token.name}`, role, scope, accountId: null, sessionId: null };
  };
  const ofAccount = (id: number): Identity | null => {
    const account = accounts.findAccount(id);
    if (!account) return null;
    noteUse(account.lastUsedAt, () => accounts.touchAccount(id));
    const { name, role } = account;
    return { name, role, scope: 'everything', accountId: id, sessionId: null };
  };
  return {
    ofToken,
    ofAccount,
    shownBy(request: IncomingMessage): Shown | null {
      const bearer = bearerOf(request);
      if (bearer) return { kind: 'token', hash: hashSecret(bearer) };
      const secret = sessionSecretOf(request);
      const session = secret === null ? null : sessions.findSession(secret);
      if (!session) return null;
      const { id, tokenHash, accountId } = session;
      const owner = accountId === null ? { tokenHash: tokenHash ?? '' } : { accountId };
      return { kind: 'session', id, owner };
    },
    /**
     * Returns null if the token was revoked or has expired, the session has ended, or the account was
     * deleted.
     */
    of(shown: Shown): Identity | null {
      if (shown.kind === 'token') return ofToken(shown.hash);
      if (!sessions.isSessionOpen(shown.id)) return null;
      const { owner } = shown;
      const identity = 'tokenHash' in owner ? ofToken(owner.tokenHash) : ofAccount(owner.accountId);
      return identity && { ...identity, sessionId: shown.id };
    },
    hasAdministratorBut: (accountId: number): boolean =>
      adminHash !== null ||
      tokens.countAdministratorTokens({ usable: true }) > 0 ||
      accounts.listAccounts().some(({ id, role }) => role === 'administrator' && id !== accountId),
    /**
     * Returns true if an administrator could log in; with `usable`, only if the credentials have not expired.
     */
    hasAdministrator: (which: { usable: boolean }): boolean =>
      adminHash !== null || tokens.countAdministratorTokens(which) > 0 || accounts.countAdministrators() > 0,
  };
}

function bearerOf(request: IncomingMessage): string | undefined {
  return /^Bearer (\S{1,200})$/i.exec(request.headers.authorization ?? '')?.[1];
}

interface CookieOptions {
  name: string;
  value: string;
  path: string;
  maxAgeMs: number;
}

/** Returns a cookie, marked Secure if the browser connected over TLS, here or at a proxy. */
export function makeCookie({ name, value, path, maxAgeMs }: CookieOptions, request: IncomingMessage): string {
  const seconds = Math.floor(maxAgeMs / 1000);
  const secure = isEncrypted(request) ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Returns the value of a cookie; null if there is none. */
export function readCookie(request: IncomingMessage, name: string): string | null {
  const pair = (request.headers.cookie ?? '').split(/;\s*/).find((text) => text.startsWith(`${name}=`));
  return pair?.slice(name.length + 1, name.length + 1001) || null;
}

const sessionCookie = 'mqttlab_session';
export const sessionMs = 7 * 86_400_000;

const sessionSecretOf = (request: IncomingMessage): string | null => readCookie(request, sessionCookie);

/** Returns the session cookie; null as the secret returns a cookie that deletes it. */
export function makeSessionCookie(secret: string | null, request: IncomingMessage): string {
  const maxAgeMs = secret === null ? 0 : sessionMs;
  return makeCookie({ name: sessionCookie, value: secret ?? '', path: '/', maxAgeMs }, request);
}
