import type { IncomingMessage } from 'node:http';
import { type Change, restoreMinutes } from '@mqttlab/shared/messages/access';
import { makeCsv } from '../../base/csv.ts';
import { conflict, notFound, ProblemError, unprocessable } from '../../base/errors.ts';
import { hashSecret, type SessionOwner } from '../../store/settings/access-store.ts';
import { pageOf } from '../../store/table.ts';
import { makeSessionCookie } from '../guards/identify.ts';
import { originOf } from '../guards/request-origin.ts';
import { type Caller, on, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** Handles login, accounts, API tokens and the activity log. */
export function accessRoutes(services: Services): Route[] {
  return [
    ...sessionRoutes(services),
    ...accountRoutes(services),
    ...tokenRoutes(services),
    ...changeRoutes(services),
    on('POST /tls/rotate', () => services.system.rotateAuthority()),
    on('GET /tls/authority.pem', () => {
      const authority = services.system.authority();
      if (authority === null) {
        throw new ProblemError({
          status: 404,
          detail: 'This server has no certificate authority.',
          remedy: 'Ask an administrator for the certificate of the issuer.',
        });
      }
      return { name: 'mqttlab-authority.pem', body: authority.certificate };
    }),
  ];
}

function sayWho({ gate, system }: Services, request: IncomingMessage) {
  const identity = gate.identityOf(request);
  return {
    loginRequired: gate.loginRequired(request),
    role: identity?.role ?? null,
    name: identity?.name ?? null,
    accountId: identity?.accountId ?? null,
    needsFirst: gate.needsFirst(request),
    authorityFingerprint: system.authority()?.fingerprint ?? null,
    publicOrigin: identity === null ? null : system.publicOrigin(originOf(request)),
  };
}

const setCookie = ({ request, setHeader }: Caller, secret: string | null): void =>
  setHeader('Set-Cookie', makeSessionCookie(secret, request));

const wrongLogin = (detail: string, remedy: string) => new ProblemError({ status: 401, detail, remedy });

function sessionRoutes(services: Services): Route[] {
  const { gate } = services;
  const { accounts, sessions } = services.stores;
  return [
    on('GET /session', ({ caller }) => sayWho(services, caller.request)),
    on('POST /session', async ({ body, caller }) => {
      const opened = await gate.logIn(body, caller.request);
      if (!opened) {
        throw 'token' in body
          ? wrongLogin('This token is unknown, revoked or expired.', 'Ask an administrator for a token.')
          : wrongLogin(
              'Name or password is wrong.',
              'Try again, or ask an administrator for another password.',
            );
      }
      setCookie(caller, opened.session);
      return sayWho(services, caller.request);
    }),
    on('DELETE /session', ({ caller }) => {
      gate.endSession(caller.request);
      setCookie(caller, null);
      gate.recheckConnections();
    }),
    on('DELETE /sessions', ({ caller }) => {
      gate.endSessions(caller.request);
      setCookie(caller, null);
      gate.recheckConnections();
    }),
    on('PUT /session/password', async ({ body, caller }) => {
      const { accountId, sessionId, name } = caller.identity ?? {};
      if (accountId == null || name === undefined) {
        throw conflict(
          'This request does not belong to an account, so there is no password to change.',
          'Log in with a name and password.',
        );
      }
      const passwords = { present: body.password, next: body.newPassword };
      const isChanged = await gate.guard(caller.request, name, async () =>
        (await accounts.changePassword(accountId, passwords)) ? true : null,
      );
      if (!isChanged) {
        const field = {
          field: 'password',
          reason: 'is not the password',
          remedy: 'Enter the current password.',
        };
        throw unprocessable('The password cannot be changed.', [field]);
      }
      sessions.removeSessions({ accountId }, sessionId ?? 0);
      gate.recheckConnections();
    }),
    on('POST /accounts/first', async ({ body: { secret, name, password }, caller }) => {
      const requireNone = (): void => {
        if (gate.needsFirst(caller.request)) return;
        throw conflict('There is an administrator already.', 'Ask for an account, or log in.');
      };
      requireNone();
      if (!(await gate.isFirst(secret, caller.request))) {
        throw wrongLogin('This link is not the one that this server printed.', 'Open the most recent link.');
      }
      const account = await accounts.createAccount({ name, password, role: 'administrator' }, requireNone);
      if (!account) throw nameTaken(name);
      setCookie(caller, gate.adopt({ accountId: account.id }, caller.request));
      return sayWho(services, caller.request);
    }),
  ];
}

function nameTaken(name: string): ProblemError {
  const field = {
    field: 'name',
    reason: `there is already an account "${name}"`,
    remedy: 'Choose another name.',
  };
  return unprocessable('The account cannot be created.', [field]);
}

/** Logs in the client that creates the first administrator, because this account turns on login. */
function keepLoggedIn({ gate }: Services, caller: Caller, owner: SessionOwner): void {
  if (caller.identity?.accountId !== null || !gate.loginRequired(caller.request)) return;
  if (caller.request.headers.authorization !== undefined || caller.identity.sessionId !== null) return;
  setCookie(caller, gate.adopt(owner, caller.request));
  gate.recheckConnections();
}

function accountRoutes(services: Services): Route[] {
  const { gate } = services;
  const { accounts, sessions } = services.stores;
  const find = (id: number) => {
    const account = accounts.findAccount(id);
    if (!account) throw notFound('account', id);
    return account;
  };
  /** Throws a 409 problem if no administrator would remain. */
  const keepOne = (id: number): void => {
    if (find(id).role !== 'administrator' || gate.hasAdministratorBut(id)) return;
    throw conflict('This is the last administrator.', 'Make another account an administrator first.');
  };
  return [
    on('GET /accounts', () => ({ items: accounts.listAccounts() })),
    on('POST /accounts', async ({ body, caller }) => {
      const account = await accounts.createAccount(body);
      if (!account) throw nameTaken(body.name);
      keepLoggedIn(services, caller, { accountId: account.id });
      return find(account.id);
    }),
    on('PATCH /accounts/{id}', async ({ params: { id }, body: { role, password }, caller }) => {
      find(id);
      if (role !== undefined) {
        if (role !== 'administrator') keepOne(id);
        accounts.setRole(id, role);
      }
      if (password !== undefined) {
        await accounts.setPassword(id, password);
        sessions.removeSessions({ accountId: id }, caller.identity?.sessionId ?? 0);
      }
      gate.recheckConnections();
      return find(id);
    }),
    on('DELETE /accounts/{id}', ({ params: { id } }) => {
      keepOne(id);
      sessions.removeSessions({ accountId: id });
      accounts.removeAccount(id);
      gate.recheckConnections();
    }),
    on('DELETE /accounts/{id}/sessions', ({ params: { id } }) => {
      sessions.removeSessions({ accountId: find(id).id });
      gate.recheckConnections();
    }),
  ];
}

function tokenRoutes(services: Services): Route[] {
  const { gate } = services;
  const { tokens } = services.stores;
  return [
    on('GET /tokens', () => ({ items: tokens.listTokens() })),
    on('POST /tokens', ({ body, caller }) => {
      if (body.expiresAt !== undefined && body.expiresAt <= services.system.now()) {
        const field = { field: 'expiresAt', reason: 'it is in the past', remedy: 'Choose a later time.' };
        throw unprocessable('The token cannot be created.', [field]);
      }
      const made = tokens.createToken({ ...body, expiresAt: body.expiresAt ?? null });
      keepLoggedIn(services, caller, { tokenHash: hashSecret(made.secret) });
      return made;
    }),
    on('DELETE /tokens/{id}', ({ params: { id }, caller }) => {
      if (!tokens.revokeToken(id, caller.identity?.name)) throw notFound('token', id);
      gate.recheckConnections();
    }),
    on('POST /tokens/{id}/restore', ({ params: { id }, caller }) => {
      if (!tokens.findToken(id)) throw notFound('token', id);
      if (tokens.restoreToken(id, caller.identity?.name ?? null)) return;
      throw conflict(
        `Only the person who revoked a token can restore it, within ${restoreMinutes} minutes.`,
        'Create another token.',
      );
    }),
  ];
}

const csvColumns = [
  'at',
  'actor',
  'address',
  'action',
  'subject',
  'before',
  'after',
] as const satisfies (keyof Change)[];

function changeRoutes({ stores: { changes } }: Services): Route[] {
  const cell = (change: Change, column: (typeof csvColumns)[number]): string => {
    const value = change[column];
    if (column === 'at') return new Date(change.at).toISOString();
    return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  };
  return [
    on('GET /changes', ({ query }) =>
      pageOf(changes.listChanges({ ...query, limit: query.limit + 1 }), query.limit),
    ),
    on('GET /changes.csv', () => ({
      name: 'mqttlab-changes.csv',
      body: makeCsv(
        [...csvColumns],
        changes.listChanges().map((change) => csvColumns.map((column) => cell(change, column))),
      ),
    })),
  ];
}
