import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { leaveOut, readEach } from '../broken-row.ts';
import type { Database } from '../database.ts';
import type { StoreOptions } from '../experiments/experiment-store.ts';
import { countSchema } from '../row.ts';

/** What a token may do, each including those before it. */
export const accessRoles = ['viewer', 'operator', 'administrator'] as const;
export type AccessRole = (typeof accessRoles)[number];

interface TokenRecord {
  id: number;
  name: string;
  role: AccessRole;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

export interface TokenStore {
  /** The secret is shown this once; only its hash is kept. */
  create(token: { name: string; role: AccessRole }): { token: TokenRecord; secret: string };
  list(): TokenRecord[];
  /** Not revoked; null for a secret that is unknown. */
  findByHash(hash: string): TokenRecord | null;
  touch(id: number): void;
  /** False when there is no such token. */
  revoke(id: number): boolean;
  countAdministrators(): number;
  /** A browser's session, bound to the token it was opened with; the oldest of too many ends. */
  createSession(tokenHash: string, lifetimeMs: number): string;
  /** Hash of the token the session belongs to; null when unknown or over. */
  sessionToken(secret: string): string | null;
  endSession(secret: string): void;
}

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

const rowSchema = z.object({
  id: z.int(),
  name: z.string(),
  role: z.enum(accessRoles),
  created_at: z.number(),
  last_used_at: z.number().nullable(),
  revoked_at: z.number().nullable(),
});
const columns = Object.keys(rowSchema.shape).join(', ');

function parseToken(input: unknown): TokenRecord {
  const row = rowSchema.parse(input);
  const { id, name, role, created_at: createdAt } = row;
  return { id, name, role, createdAt, lastUsedAt: row.last_used_at, revokedAt: row.revoked_at };
}

/** API tokens and browser sessions; secrets are hashed. */
export function makeTokenStore(database: Database, options: StoreOptions = {}): TokenStore {
  const now = options.now ?? Date.now;
  const findByHash = (hash: string) => {
    const row = database.get(`SELECT ${columns} FROM tokens WHERE hash = :hash AND revoked_at IS NULL`, {
      hash,
    });
    return row ? parseToken(row) : null;
  };
  return {
    create({ name, role }) {
      const secret = makeSecret();
      const hash = hashSecret(secret);
      database.run('INSERT INTO tokens (name, role, hash, created_at) VALUES (:name, :role, :hash, :now)', {
        name,
        role,
        hash,
        now: now(),
      });
      const token = findByHash(hash);
      if (!token) throw new Error('a token vanished while it was written');
      return { token, secret };
    },
    list: () => readEach(database.all(`SELECT ${columns} FROM tokens ORDER BY id`), parseToken, leaveOut),
    findByHash,
    touch(id) {
      database.run('UPDATE tokens SET last_used_at = :now WHERE id = :id', { id, now: now() });
    },
    revoke: (id) =>
      database.run('UPDATE tokens SET revoked_at = coalesce(revoked_at, :now) WHERE id = :id', {
        id,
        now: now(),
      }).changes > 0,
    countAdministrators: () =>
      countSchema.parse(
        database.get(
          `SELECT count(*) AS count FROM tokens WHERE role = 'administrator' AND revoked_at IS NULL`,
        ),
      ).count,
    createSession(tokenHash, lifetimeMs) {
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
    sessionToken(secret) {
      const row = database.get('SELECT token_hash FROM sessions WHERE hash = :hash AND expires_at > :now', {
        hash: hashSecret(secret),
        now: now(),
      });
      return row ? z.object({ token_hash: z.string() }).parse(row).token_hash : null;
    },
    endSession(secret) {
      database.run('DELETE FROM sessions WHERE hash = :hash', { hash: hashSecret(secret) });
    },
  };
}
