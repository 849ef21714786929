import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type AccessRole, accessRoles, isInScope, type LogIn } from '@mqttlab/shared/messages/access';
import type { RouteAccess } from '@mqttlab/shared/messages/api/endpoint';
import { ProblemError } from '../../base/errors.ts';
import type { LoginAttempt, ServerEvents } from '../../base/events.ts';
import { hashSecret, type SessionOwner } from '../../store/settings/access-store.ts';
import { StorageError } from '../../store/storage-error.ts';
import type { Stores } from '../../store/stores.ts';
import { type Identity, makeIdentities, type Shown, sessionMs, thisMachine } from './identify.ts';
import { callerAddress, isDirectLocal, type ProxyRules } from './request-origin.ts';

/** Interval after which a session in use gets a new secret. */
const rotateMs = 3_600_000;

/** Requirements of an API route for its callers. */
interface Wanted {
  access: RouteAccess;
  /** Method and path as in the route table: "GET /runs/{id}". */
  key: string;
}

export type Gate = ReturnType<typeof makeGate>;

/** Access settings from the server's configuration. */
interface AccessRules extends ProxyRules {
  /** True if the server is reachable from other machines. */
  loginRequired: boolean;
  /** Value of MQTTLAB_ADMIN_TOKEN; null if it is not set. */
  adminToken: string | null;
}

interface GateOptions {
  stores: Pick<Stores, 'tokens' | 'accounts' | 'sessions'>;
  rules: AccessRules;
  events: ServerEvents;
  nowMs?: () => number;
}

/**
 * Identifies a caller by `Authorization: Bearer` or the session cookie, and determines the caller's
 * permissions.
 */
export function makeGate({ stores, rules, events, nowMs: now = Date.now }: GateOptions) {
  const { sessions, accounts } = stores;
  const identities = makeIdentities(stores, { adminToken: rules.adminToken, now });
  const onAttempt = (attempt: LoginAttempt): void => void events.emit('login-attempt', attempt);
  const limit = makeLoginLimit(now);
  const firstSecret = randomBytes(24).toString('base64url');
  /** Accounts and share links with the addresses at which they were opened. */
  const known = new Map<string, true>();
  // Caches the identity of a request, because it is needed several times and a wrong token must count once.
  const decided = new WeakMap<IncomingMessage, { shown: Shown | null; identity: Identity | null }>();

  const addressOf = (request: IncomingMessage): string => callerAddress(request, rules);
  const loginRequired = (request: IncomingMessage): boolean =>
    rules.loginRequired ||
    !isDirectLocal(request) ||
    // Also counts expired administrators, because expiry must not turn off the login requirement.
    identities.hasAdministrator({ usable: false });
  const needsFirst = (request: IncomingMessage): boolean =>
    loginRequired(request) && !identities.hasAdministrator({ usable: true });

  /**
   * Returns the result of `verify`; null for a wrong secret. Guesses are limited by address and by account.
   * An address that logged in to the account before has a separate limit, so guesses from elsewhere do not
   * lock it out.
   */
  const guard = async <Found>(
    request: IncomingMessage,
    account: string | null,
    verify: () => Found | null | Promise<Found | null>,
  ): Promise<Found | null> => {
    const address = addressOf(request);
    const keys = [`address ${address}`];
    const place = `account ${account?.toLowerCase()} from ${address}`;
    if (account !== null) keys.push(known.has(place) ? place : `account ${account.toLowerCase()}`);
    const found = await limit.attempt(keys, verify);
    if (found === null) onAttempt({ address, role: null, failures: limit.failuresOf(`address ${address}`) });
    else if (account !== null) {
      known.delete(place);
      known.set(place, true);
      forgetOldest(known);
    }
    return found;
  };
  /** A valid token is never refused: 256 random bits need no limit. Wrong tokens are limited by address. */
  const tryToken = (hash: string, request: IncomingMessage): Identity | null => {
    const identity = identities.ofToken(hash);
    if (identity !== null) return identity;
    const address = addressOf(request);
    const key = `token ${address}`;
    limit.check(key);
    limit.fail(key);
    onAttempt({ address, role: null, failures: limit.failuresOf(key) });
    return null;
  };
  const decide = (request: IncomingMessage) => {
    if (!loginRequired(request)) return { shown: null, identity: thisMachine };
    const shown = identities.shownBy(request);
    if (shown === null) return { shown, identity: null };
    const identity = shown.kind === 'token' ? tryToken(shown.hash, request) : identities.of(shown);
    return { shown, identity };
  };
  const decisionOn = (request: IncomingMessage) => {
    const known = decided.get(request);
    if (known) return known;
    const decision = decide(request);
    decided.set(request, decision);
    return decision;
  };
  const identityOf = (request: IncomingMessage): Identity | null => decisionOn(request).identity;

  const open = (owner: SessionOwner, identity: Identity, request: IncomingMessage) => {
    // A new login ends the earlier session of this client.
    const earlier = identities.shownBy(request);
    if (earlier?.kind === 'session') sessions.removeSession(earlier.id);
    onAttempt({ address: addressOf(request), role: identity.role, failures: 0 });
    const session = sessions.createSession(owner, sessionMs);
    const shown: Shown = { kind: 'session', id: sessions.findSession(session)?.id ?? 0, owner };
    decided.set(request, { shown, identity });
    return { session, identity };
  };

  return {
    addressOf,
    /**
     * Returns true if this caller needs to log in. While there is no administrator, a server on loopback is
     * open to programs on this machine, but not to requests that a proxy forwards.
     */
    loginRequired,
    /**
     * Returns true if no administrator can log in; the link with `firstSecret` then creates an administrator.
     */
    needsFirst,
    firstSecret,
    /** Returns the caller; null if not logged in. Throws a 429 problem after too many wrong tokens. */
    identityOf,
    /** Returns true while an admitted client keeps its access: its token is valid or its session is open. */
    mayStay(request: IncomingMessage): boolean {
      if (!loginRequired(request)) return true;
      const shown = decided.get(request)?.shown ?? identities.shownBy(request);
      return shown !== null && identities.of(shown) !== null;
    },
    /** Throws a 401, 403 or 429 problem unless the caller is allowed. */
    require({ access, key }: Wanted, request: IncomingMessage): Identity | null {
      const identity = identityOf(request);
      if (access === 'open') return identity;
      if (identity === null)
        throw unauthorised({ needsFirst: needsFirst(request), always: rules.loginRequired });
      const { role, scope } = identity;
      if (accessRoles.indexOf(role) < accessRoles.indexOf(access)) throw forbidden(role, access);
      if (!isInScope(scope, key)) throw outOfScope(scope);
      return identity;
    },
    /**
     * Returns the caller; null if the token, or the name and password, are wrong. Rejects with a 429 problem.
     */
    async logIn(shown: LogIn, request: IncomingMessage) {
      if ('token' in shown) {
        const tokenHash = hashSecret(shown.token);
        const identity = tryToken(tokenHash, request);
        return identity && open({ tokenHash }, identity, request);
      }
      const { name, password } = shown;
      const account = await guard(request, name.trim(), () => accounts.verifyPassword(name, password));
      const identity = account && identities.ofAccount(account.id);
      return account && identity && open({ accountId: account.id }, identity, request);
    },
    /** Logs in the client that has just created this account or token. */
    adopt(owner: SessionOwner, request: IncomingMessage): string | null {
      const identity =
        'tokenHash' in owner ? identities.ofToken(owner.tokenHash) : identities.ofAccount(owner.accountId);
      return identity && open(owner, identity, request).session;
    },
    /** Limits guesses at another secret, such as the password of a share link. Rejects with a 429 problem. */
    guard,
    /** Returns true if this is the secret in the printed link. Rejects with a 429 problem. */
    isFirst: async (secret: string, request: IncomingMessage): Promise<boolean> => {
      const same = timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hashSecret(firstSecret)));
      return (await guard(request, null, () => same || null)) !== null;
    },
    /** Returns a new secret for a session with an old secret; null if the secret is kept. */
    rotate(request: IncomingMessage): string | null {
      const { shown } = decisionOn(request);
      if (shown?.kind !== 'session' || now() - (sessions.findRotationTime(shown.id) ?? now()) < rotateMs)
        return null;
      try {
        return sessions.rotateSession(shown.id);
      } catch (error) {
        if (error instanceof StorageError) return null;
        throw error;
      }
    },
    endSession(request: IncomingMessage): void {
      const { shown } = decisionOn(request);
      if (shown?.kind === 'session') sessions.removeSession(shown.id);
    },
    /** Ends all sessions of the account or token. */
    endSessions(request: IncomingMessage): void {
      const { shown } = decisionOn(request);
      if (shown) sessions.removeSessions(shown.kind === 'session' ? shown.owner : { tokenHash: shown.hash });
    },
    /** Closes the live connections of callers whose token, account or session has ended. */
    recheckConnections: (): void => void events.emit('access-changed'),
    hasAdministrator: (): boolean => identities.hasAdministrator({ usable: true }),
    /** Returns true if another account has administrator rights. */
    hasAdministratorBut: identities.hasAdministratorBut,
  };
}

/**
 * Creates the refusal. `needsFirst`: there is no administrator who can log in. `always`: even programs on this
 * machine need to log in.
 */
function unauthorised({ needsFirst, always }: { needsFirst: boolean; always: boolean }): ProblemError {
  const why = always
    ? 'this server can be reached by other machines, so every request needs a login'
    : 'this request came from another machine, through a proxy, or with a host name that does not belong to this machine';
  return new ProblemError({
    status: 401,
    detail: needsFirst ? `There is no administrator yet, and ${why}.` : 'This server requires a login.',
    remedy: needsFirst
      ? 'Open the link that the server printed when it started, or set MQTTLAB_ADMIN_TOKEN, or create a token with "npm run mqttlab -- token create".'
      : 'Send "Authorization: Bearer <token>", or log in on the page.',
    headers: { 'WWW-Authenticate': 'Bearer realm="mqttlab"' },
  });
}

function forbidden(role: AccessRole, access: AccessRole): ProblemError {
  return new ProblemError({
    status: 403,
    detail: `The role ${role} is not allowed to do this.`,
    remedy: `Log in with an account or a token of role ${access}.`,
  });
}

function outOfScope(scope: string): ProblemError {
  return new ProblemError({
    status: 403,
    detail: `This token is valid for ${scope} only.`,
    remedy: 'Use a token whose scope includes this address.',
  });
}

/** Number of failures that are not delayed. */
const freeTries = 5;
const firstWaitMs = 1_000;
const maxWaitMs = 60_000;
/** Failures are forgotten if no other failure follows within this time. */
const memoryMs = 15 * 60_000;
/** Maximum number of remembered keys; the least recent keys are removed first. */
const maxKeys = 10_000;

interface Failures {
  count: number;
  lastAt: number;
  waitUntil: number;
}

/**
 * Slows down guesses at secrets: five failures are free, then one attempt per 1 s, 2 s, 4 s ... 60 s is
 * allowed.
 */
function makeLoginLimit(now: () => number) {
  const failures = new Map<string, Failures>();
  /** Number of pending attempts, by key. */
  const reserved = new Map<string, number>();
  let attemptEnded = Promise.withResolvers<void>();

  const find = (key: string): Failures | undefined => {
    const found = failures.get(key);
    if (found === undefined || now() - found.lastAt <= memoryMs) return found;
    failures.delete(key);
    return undefined;
  };
  /** Throws a 429 problem while this key has to wait after failures. */
  const check = (key: string): void => {
    const waitMs = (find(key)?.waitUntil ?? 0) - now();
    if (waitMs > 0) throw tooManyFailures(waitMs);
  };
  const failuresOf = (key: string): number => find(key)?.count ?? 0;
  /** Counts a failure. */
  const fail = (key: string): void => {
    const count = failuresOf(key) + 1;
    const waitMs = count < freeTries ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** (count - freeTries));
    failures.delete(key);
    failures.set(key, { count, lastAt: now(), waitUntil: now() + waitMs });
    forgetOldest(failures);
  };
  const isFree = (key: string): boolean =>
    (reserved.get(key) ?? 0) < Math.max(1, freeTries - failuresOf(key));
  const reserve = (key: string, change: 1 | -1): void => {
    const count = (reserved.get(key) ?? 0) + change;
    if (count === 0) reserved.delete(key);
    else reserved.set(key, count);
  };

  return {
    check,
    fail,
    failuresOf,
    /**
     * Returns the result of `verify`; null counts as a failure of every key. An attempt is reserved before
     * `verify` is called, so simultaneous guesses cannot exceed the limit. Only as many attempts run in
     * parallel as are allowed to fail; the others wait for their results. Rejects with a 429 problem while
     * one of the keys has to wait.
     */
    async attempt<Found>(
      keys: readonly string[],
      verify: () => Found | null | Promise<Found | null>,
    ): Promise<Found | null> {
      for (const key of keys) check(key);
      while (!keys.every(isFree)) {
        await attemptEnded.promise;
        for (const key of keys) check(key);
      }
      for (const key of keys) reserve(key, 1);
      try {
        const found = await verify();
        if (found === null) for (const key of keys) fail(key);
        return found;
      } finally {
        for (const key of keys) reserve(key, -1);
        attemptEnded.resolve();
        attemptEnded = Promise.withResolvers();
      }
    },
  };
}

function tooManyFailures(waitMs: number): ProblemError {
  const seconds = Math.ceil(waitMs / 1000);
  return new ProblemError({
    status: 429,
    detail: 'Too many wrong tokens or passwords were sent from this address or for this account.',
    remedy: `Wait ${seconds} s, then try again with the correct one.`,
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Limits a map to `maxKeys` entries in insertion order. */
function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= maxKeys) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
