import { createHash, randomBytes } from 'node:crypto';
import {
  type AccessRole,
  type Account,
  accountSchema,
  type Change,
  type ChangeQuery,
  changeSchema,
  restoreMinutes,
  type Token,
  tokenSchema,
} from '@mqttlab/shared/messages/access';
import { hash, verify } from '@node-rs/argon2';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { writeIfPossible } from '../storage-error.ts';
import { countOf, defineTable, json, type StoreOptions } from '../table.ts';

const accounts = defineTable('accounts', accountSchema.shape, {
  sessions: '(SELECT count(*) FROM sessions WHERE account_id = accounts.id)',
});
const hashes = defineTable('accounts', { id: z.int(), passwordHash: z.string() });

/** Stores accounts with name and password, of which only the argon2id hash is stored. */
export function makeAccountStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const find = (id: number): Account | null => accounts(database).find('WHERE id = :id', { id });
  const findByName = (name: string): Account | null =>
    accounts(database).find('WHERE name = :name', { name: name.trim() });
  const hashOf = (id: number): string | null =>
    hashes(database).find('WHERE id = :id', { id })?.passwordHash ?? null;
  return {
    listAccounts: (): Account[] => accounts(database).list('ORDER BY name'),
    findAccount: find,
    findAccountByName: findByName,
    /**
     * Creates an account. Resolves with null if the name is taken, ignoring case. Other requests may be
     * stored while the password is being hashed, so `check` runs in the same transaction as the insert and
     * may throw to prevent it.
     */
    async createAccount(
      made: { name: string; role: AccessRole; password: string },
      check: () => void = () => undefined,
    ): Promise<Account | null> {
      const passwordHash = await hashPassword(made.password);
      const { name, role } = made;
      return database.transaction(() => {
        check();
        if (findByName(name)) return null;
        return find(hashes(database).insert({ passwordHash }, { name, role, created_at: now() }));
      });
    },
    /**
     * Resolves with the account if the password is correct. Verifying an unknown name takes the same time.
     */
    async verifyPassword(name: string, password: string): Promise<Account | null> {
      const account = findByName(name);
      const stored = account && hashOf(account.id);
      if (!(await isPassword(stored, password))) return null;
      // The password may have been changed, or the account removed, while the password was being verified.
      return account && hashOf(account.id) === stored ? account : null;
    },
    async setPassword(id: number, password: string): Promise<void> {
      hashes(database).update({ id }, { passwordHash: await hashPassword(password) });
    },
    /**
     * Changes a password. Resolves with false if `present` is not the password, including when another
     * password was set in the meantime.
     */
    async changePassword(id: number, { present, next }: { present: string; next: string }): Promise<boolean> {
      const before = hashOf(id);
      if (!(await isPassword(before, present))) return false;
      const after = await hashPassword(next);
      const { changes } = database.run(
        'UPDATE accounts SET password_hash = :after WHERE id = :id AND password_hash = :before',
        { id, before, after },
      );
      return changes > 0;
    },
    setRole: (id: number, role: AccessRole) => void accounts(database).update({ id }, { role }),
    touchAccount: (id: number) => void accounts(database).update({ id }, { lastUsedAt: now() }),
    removeAccount: (id: number): boolean => accounts(database).remove({ id }),
    countAdministrators: () =>
      countOf(database, `SELECT count(*) AS count FROM accounts WHERE role = 'administrator'`),
  };
}

/** Parameters of argon2id: 19 MiB and two passes, the minimum in OWASP's Password Storage Cheat Sheet. */
const hardness = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Returns the hash of a password in PHC string format. Takes about 30 ms off the main thread. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, hardness);
}

/** Hash of an unknown password, so that checking an unknown name takes as long as checking a known name. */
let nobody: Promise<string> | null = null;

/** Verifies a password. `stored` is null if the name is unknown. */
export async function isPassword(stored: string | null, shown: string): Promise<boolean> {
  nobody ??= hashPassword(crypto.randomUUID());
  const right = await verify(stored ?? (await nobody), shown);
  return right && stored !== null;
}

/** Size of a token in bytes: 256 random bits need no slow hash. */
const secretBytes = 32;
const secretPrefix = 'mql_';

/** SHA-256, hex. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Creates a secret for an enrolment, token or session. */
export function makeSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64url');
}

const tokens = defineTable('tokens', tokenSchema.shape);

/** How long a revoked token or share link can be restored, in ms. */
export const restoreWindowMs = restoreMinutes * 60_000;

/** A new token; without other values, it can do everything and does not expire. */
export type MadeToken = Pick<Token, 'name' | 'role'> & Partial<Pick<Token, 'scope' | 'expiresAt'>>;

/** Stores API tokens; secrets are hashed. */
export function makeTokenStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  /** Returns a token that is neither revoked nor expired; null for an unknown secret. */
  const findByHash = (hash: string) =>
    tokens(database).find(
      'WHERE hash = :hash AND revoked_at IS NULL AND coalesce(expires_at, :now) >= :now',
      { hash, now: now() },
    );
  return {
    /** Creates a token. Returns the secret, which is only shown once; only its hash is stored. */
    createToken({ name, role, scope = 'everything', expiresAt = null }: MadeToken) {
      const secret = makeSecret();
      const hash = hashSecret(secret);
      tokens(database).insert({ name, role, scope, expiresAt, createdAt: now() }, { hash });
      const token = tokens(database).find('WHERE hash = :hash', { hash });
      if (!token) throw new Error('a token disappeared while it was being written');
      return { token, secret };
    },
    findToken: (id: number) => tokens(database).find('WHERE id = :id', { id }),
    listTokens: () => tokens(database).list('ORDER BY id'),
    findTokenByHash: findByHash,
    touchToken(id: number): void {
      tokens(database).update({ id }, { lastUsedAt: now() });
    },
    /** Revokes a token. Returns false if there is no such token; a revoked token is not changed. */
    revokeToken: (id: number, by: string | null = null): boolean =>
      database.run(
        `UPDATE tokens SET revoked_at = coalesce(revoked_at, :now),
           revoked_by = CASE WHEN revoked_at IS NULL THEN :by ELSE revoked_by END WHERE id = :id`,
        { id, by, now: now() },
      ).changes > 0,
    /** Restores a token. Returns false unless the same user revoked it at most `restoreWindowMs` ago. */
    restoreToken: (id: number, by: string | null): boolean =>
      database.run(
        `UPDATE tokens SET revoked_at = NULL, revoked_by = NULL
         WHERE id = :id AND revoked_at >= :since AND revoked_by IS :by`,
        { id, by, since: now() - restoreWindowMs },
      ).changes > 0,
    /** Counts administrator tokens that are not revoked; with `usable`, also excludes expired tokens. */
    countAdministratorTokens: ({ usable }: { usable: boolean }) =>
      countOf(
        database,
        `SELECT count(*) AS count FROM tokens
         WHERE role = 'administrator' AND scope = 'everything' AND revoked_at IS NULL
           AND (:usable = 0 OR coalesce(expires_at, :now) >= :now)`,
        { usable: Number(usable), now: now() },
      ),
  };
}

/** Limits per account and in total, above the number of browsers in normal use. */
const maxSessionsOfOne = 20;
const maxSessions = 1000;
/** How long the previous secret stays valid for requests that were pending when the secret changed. */
const sessionGraceMs = 60_000;

/** Owner of a session. */
export type SessionOwner = { tokenHash: string } | { accountId: number };

const sessions = defineTable('sessions', {
  id: z.int(),
  tokenHash: z.string().nullable(),
  accountId: z.int().nullable(),
  earlierHash: z.string().nullable(),
  seenAt: z.number().nullable(),
  rotatedAt: z.number(),
});

const columnsOf = (owner: SessionOwner) =>
  'tokenHash' in owner ? { token_hash: owner.tokenHash } : { account_id: owner.accountId };

/** Stores sessions of browsers; only hashes of their secrets are stored. */
export function makeSessionStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const keepNewest = (owner: SessionOwner | null, most: number): void => {
    const [column] = owner ? Object.keys(columnsOf(owner)) : [];
    const where = column === undefined ? '' : `WHERE ${column} = :${column}`;
    database.run(
      `DELETE FROM sessions WHERE id IN
         (SELECT id FROM sessions ${where} ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET :most)`,
      { most, ...(owner ? columnsOf(owner) : {}) },
    );
  };
  return {
    /** Creates a session. Deletes the oldest sessions above the limit. */
    createSession(owner: SessionOwner, lifetimeMs: number): string {
      const secret = makeSecret();
      database.run('DELETE FROM sessions WHERE expires_at < :now', { now: now() });
      keepNewest(owner, maxSessionsOfOne - 1);
      keepNewest(null, maxSessions - 1);
      sessions(database).insert(
        { rotatedAt: now() },
        { ...columnsOf(owner), hash: hashSecret(secret), created_at: now(), expires_at: now() + lifetimeMs },
      );
      return secret;
    },
    /** Returns a session; null for a secret that is unknown, expired, or was replaced some time ago. */
    findSession(secret: string) {
      const hash = hashSecret(secret);
      const found = sessions(database).find(
        `WHERE expires_at > :now AND
           (hash = :hash OR (earlier_hash = :hash AND coalesce(seen_at, :now) > :now - :sessionGraceMs))`,
        { hash, now: now(), sessionGraceMs },
      );
      if (found && found.earlierHash !== null && found.earlierHash !== hash && found.seenAt === null) {
        writeIfPossible(() => sessions(database).update({ id: found.id }, { seenAt: now() }));
      }
      return found;
    },
    isSessionOpen: (id: number): boolean =>
      database.get('SELECT 1 FROM sessions WHERE id = :id AND expires_at > :now', { id, now: now() }) !==
      undefined,
    /** Returns when the secret was last changed; null if there is no such session. */
    findRotationTime: (id: number) => sessions(database).find('WHERE id = :id', { id })?.rotatedAt ?? null,
    /**
     * Creates a new secret for the same session. The old secret works until a minute after the first use of
     * the new secret.
     */
    rotateSession(id: number): string {
      const secret = makeSecret();
      database.run(
        `UPDATE sessions SET earlier_hash = hash, hash = :hash, seen_at = NULL, rotated_at = :now
         WHERE id = :id`,
        { id, hash: hashSecret(secret), now: now() },
      );
      return secret;
    },
    removeSession: (id: number): boolean => sessions(database).remove({ id }),
    /** Ends all sessions except `except`. */
    removeSessions(owner: SessionOwner, except = 0): void {
      const [[column, value] = ['', '']] = Object.entries(columnsOf(owner));
      database.run(`DELETE FROM sessions WHERE ${column} = :value AND id <> :except`, { value, except });
    },
  };
}

/** Maximum number of changes, enough for years in a busy laboratory; the oldest changes are removed first. */
const maxChanges = 100_000;
/** Repeated saves of one draft by the same user within this time count as one change. */
const joinChangesMs = 10 * 60_000;

const changedFields = json(z.record(z.string(), z.unknown())).nullable();
const changes = defineTable('changes', {
  ...changeSchema.shape,
  before: changedFields,
  after: changedFields,
});

type NewChange = Omit<Change, 'id' | 'at'>;
export type ChangeStore = ReturnType<typeof makeChangeStore>;

/** Stores changes: who, what, when, from which address, with the fields before and after. */
export function makeChangeStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const newest = (): Change | null => changes(database).list('ORDER BY id DESC LIMIT 1')[0] ?? null;
  return {
    /**
     * Adds a change. `join`: merges it with the last change by the same user to the same object, if that
     * change is recent.
     */
    addChange(change: NewChange, { join }: { join: boolean }): void {
      const last = join ? newest() : null;
      const same = (['actor', 'address', 'action', 'subject'] as const).every(
        (name) => last?.[name] === change[name],
      );
      if (last && same && now() - last.at < joinChangesMs) {
        const before = { ...change.before, ...last.before };
        const after = { ...last.after, ...change.after };
        changes(database).update({ id: last.id }, { at: now(), before, after });
        return;
      }
      const id = changes(database).insert({ ...change, at: now() });
      database.run('DELETE FROM changes WHERE id <= :id', { id: id - maxChanges });
    },
    /** Newest first. */
    listChanges: ({ before, subject, actor, limit }: Partial<ChangeQuery> = {}): Change[] =>
      changes(database).list(
        `WHERE (:before IS NULL OR id < :before) AND (:actor IS NULL OR actor = :actor)
           AND (:subject IS NULL OR subject = :subject OR subject LIKE :subject || '/%')
         ORDER BY id DESC LIMIT :limit`,
        {
          before: before ?? null,
          subject: subject ?? null,
          actor: actor ?? null,
          limit: limit ?? maxChanges,
        },
      ),
  };
}

const firstAnswers = defineTable('idempotency_keys', {
  key: z.string(),
  route: z.string(),
  requestHash: z.string(),
  answerJson: z.string(),
  createdAt: z.number(),
});

/** How long responses are kept: callers retry within a day. */
const answersKeptMs = 24 * 3_600_000;

export type IdempotencyStore = ReturnType<typeof makeIdempotencyStore>;

/** Stores responses to requests that create something, by idempotency key. */
export function makeIdempotencyStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  return {
    findFirstAnswer(key: string, route: string): { requestHash: string; answer: unknown } | null {
      const row = firstAnswers(database).find('WHERE key = :key AND route = :route AND created_at > :since', {
        key,
        route,
        since: now() - answersKeptMs,
      });
      return row && { requestHash: row.requestHash, answer: JSON.parse(row.answerJson) };
    },
    /** Stores a response and deletes expired responses. */
    saveFirstAnswer(entry: { key: string; route: string; requestHash: string; answer: unknown }): void {
      const { answer, ...rest } = entry;
      database.transaction(() => {
        database.run('DELETE FROM idempotency_keys WHERE created_at <= :before', {
          before: now() - answersKeptMs,
        });
        database.run('DELETE FROM idempotency_keys WHERE key = :key AND route = :route', {
          key: rest.key,
          route: rest.route,
        });
        firstAnswers(database).insert({ ...rest, answerJson: JSON.stringify(answer), createdAt: now() });
      });
    },
  };
}
