import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AccessRole, TokenScope } from '@mqttlab/shared/messages/access';
import type { SessionOwner } from '../../store/settings/session-store.ts';
import { hashSecret } from '../../store/settings/token-store.ts';
import { writeIfPossible } from '../../store/storage-error.ts';
import type { Stores } from '../../store/stores.ts';
import { sessionSecretOf } from './session-cookie.ts';

/** The caller. */
export interface Identity {
  /** As in the log of changes: an account, a token, or this machine. */
  name: string;
  role: AccessRole;
  scope: TokenScope;
  accountId: number | null;
  sessionId: number | null;
}

/** Minimum interval between records of a token's use, so that reads rarely write. */
const touchEveryMs = 60_000;

export const thisMachine: Identity = {
  name: 'this machine',
  role: 'administrator',
  scope: 'everything',
  accountId: null,
  sessionId: null,
};

/** Author of a change; null if accounts are off. */
export function personOf(identity: Identity | null): string | null {
  return identity === null || identity.name === thisMachine.name ? null : identity.name;
}

/** Credentials of a request: a token, or the cookie of a session. */
export type Shown = { kind: 'token'; hash: string } | { kind: 'session'; id: number; owner: SessionOwner };

/** Owners of tokens and sessions, from the database. */
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
    /** null if the token was revoked or has expired, the session has ended, or the account was deleted. */
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
    /** True if an administrator could log in; `usable`: with credentials that have not expired. */
    hasAdministrator: (which: { usable: boolean }): boolean =>
      adminHash !== null || tokens.countAdministratorTokens(which) > 0 || accounts.countAdministrators() > 0,
  };
}

function bearerOf(request: IncomingMessage): string | undefined {
  return /^Bearer (\S{1,200})$/i.exec(request.headers.authorization ?? '')?.[1];
}
