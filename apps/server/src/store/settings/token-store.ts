import { createHash, randomBytes } from 'node:crypto';
import { type AccessRole, accessRoles } from '@mqttlab/shared/messages/access';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { countOf, defineTable, type StoreOptions } from '../table.ts';

/** Bytes of a token: 256 random bits need no slow hash. */
const secretBytes = 32;
const prefix = 'mql_';

/** More browsers than one person has; and than one laboratory. */
const maxSessionsOfToken = 20;
const maxSessions = 1000;

function newestSessions(among: string, only: string): string {
  const newest = `SELECT hash FROM sessions ${among} ORDER BY created_at DESC, hash LIMIT :most`;
  return `DELETE FROM sessions WHERE ${only}hash NOT IN (${newest})`;
}

/** SHA-256, hex. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** For agents, tokens and sessions. */
function makeSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64url');
}

const tokens = defineTable('tokens', {
  id: z.int(),
  name: z.string(),
  role: z.enum(accessRoles),
  createdAt: z.number(),
  lastUsedAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
});

export type TokenStore = ReturnType<typeof makeTokenStore>;

/** API tokens and browser sessions; secrets are hashed. */
export function makeTokenStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  /** Not revoked; null for a secret that is unknown. */
  const findByHash = (hash: string) =>
    tokens(database).find('WHERE hash = :hash AND revoked_at IS NULL', { hash });
  return {
    /** The secret is shown this once; only its hash is kept. */
    create({ name, role }: { name: string; role: AccessRole }) {
      const secret = makeSecret();
      const hash = hashSecret(secret);
      tokens(database).insert({ name, role, createdAt: now() }, { hash });
      const token = findByHash(hash);
      if (!token) throw new Error('a token vanished while it was written');
      return { token, secret };
    },
    list: () => tokens(database).list('ORDER BY id'),
    findByHash,
    touch(id: number): void {
      tokens(database).update({ id }, { lastUsedAt: now() });
    },
    /** False when there is no such token. */
    revoke: (id: number): boolean =>
      database.run('UPDATE tokens SET revoked_at = coalesce(revoked_at, :now) WHERE id = :id', {
        id,
        now: now(),
      }).changes > 0,
    countAdministrators: () =>
      countOf(
        database,
        `SELECT count(*) AS count FROM tokens WHERE role = 'administrator' AND revoked_at IS NULL`,
      ),
    /** A browser's session, bound to the token it was opened with; the oldest of too many ends. */
    createSession(tokenHash: string, lifetimeMs: number): string {
      const secret = makeSecret();
      database.run('DELETE FROM sessions WHERE expires_at < :now', { now: now() });
      // Makes room for this one: the oldest of a token ends, and so does the oldest of all.
      database.run(newestSessions('WHERE token_hash = :tokenHash', 'token_hash = :tokenHash AND '), {
        tokenHash,
        most: maxSessionsOfToken - 1,
      });
      database.run(newestSessions('', ''), { most: maxSessions - 1 });
      database.run(
        `INSERT INTO sessions (hash, token_hash, created_at, expires_at)
         VALUES (:hash, :tokenHash, :now, :expiresAt)`,
        { hash: hashSecret(secret), tokenHash, now: now(), expiresAt: now() + lifetimeMs },
      );
      return secret;
    },
    /** Hash of the token the session belongs to; null when unknown or over. */
    sessionToken(secret: string): string | null {
      const row = database.get('SELECT token_hash FROM sessions WHERE hash = :hash AND expires_at > :now', {
        hash: hashSecret(secret),
        now: now(),
      });
      return row ? z.object({ token_hash: z.string() }).parse(row).token_hash : null;
    },
    endSession(secret: string): void {
      database.run('DELETE FROM sessions WHERE hash = :hash', { hash: hashSecret(secret) });
    },
  };
}
