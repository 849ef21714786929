import { createHash, randomBytes } from 'node:crypto';
import { type Token, tokenSchema } from '@mqttlab/shared/messages/access';
import type { Database } from '../database.ts';
import { countOf, defineTable, type StoreOptions } from '../table.ts';

/** Bytes of a token: 256 random bits need no slow hash. */
const secretBytes = 32;
const prefix = 'mql_';

/** SHA-256, hex. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** For enrolments, tokens and sessions. */
export function makeSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64url');
}

const tokens = defineTable('tokens', tokenSchema.shape);

/** How long a revoked token can be restored, ms. */
const restoreWindowMs = 5 * 60_000;

type MadeToken = Pick<Token, 'name' | 'role'> & Partial<Pick<Token, 'scope' | 'expiresAt'>>;

export type TokenStore = ReturnType<typeof makeTokenStore>;

/** API tokens; secrets are hashed. */
export function makeTokenStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  /** Neither revoked nor expired; null for an unknown secret. */
  const findByHash = (hash: string) =>
    tokens(database).find(
      'WHERE hash = :hash AND revoked_at IS NULL AND coalesce(expires_at, :now) >= :now',
      { hash, now: now() },
    );
  return {
    /** Returns the secret, which is shown only once; only its hash is stored. */
    createToken({ name, role, scope = 'everything', expiresAt = null }: MadeToken) {
      const secret = makeSecret();
      const hash = hashSecret(secret);
      tokens(database).insert({ name, role, scope, expiresAt, createdAt: now() }, { hash });
      const token = tokens(database).find('WHERE hash = :hash', { hash });
      if (!token) throw new Error('a token vanished while it was written');
      return { token, secret };
    },
    findToken: (id: number) => tokens(database).find('WHERE id = :id', { id }),
    listTokens: () => tokens(database).list('ORDER BY id'),
    findTokenByHash: findByHash,
    touchToken(id: number): void {
      tokens(database).update({ id }, { lastUsedAt: now() });
    },
    /** False if there is no such token; a revoked one is not changed. */
    revokeToken: (id: number, by: string | null = null): boolean =>
      database.run(
        `UPDATE tokens SET revoked_at = coalesce(revoked_at, :now),
           revoked_by = CASE WHEN revoked_at IS NULL THEN :by ELSE revoked_by END WHERE id = :id`,
        { id, by, now: now() },
      ).changes > 0,
    /** False unless the same user revoked it at most `restoreWindowMs` ago. */
    restoreToken: (id: number, by: string | null): boolean =>
      database.run(
        `UPDATE tokens SET revoked_at = NULL, revoked_by = NULL
         WHERE id = :id AND revoked_at >= :since AND revoked_by IS :by`,
        { id, by, since: now() - restoreWindowMs },
      ).changes > 0,
    /** Not revoked; `usable`: also not expired. */
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
