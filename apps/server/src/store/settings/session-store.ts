import * as z from 'zod';
import type { Database } from '../database.ts';
import { writeIfPossible } from '../storage-error.ts';
import { defineTable, type StoreOptions } from '../table.ts';
import { hashSecret, makeSecret } from './token-store.ts';

/** Limits per account and in total, above the number of browsers in real use. */
const maxSessionsOfOne = 20;
const maxSessions = 1000;
/** Pending requests during a change of the secret still have the previous one. */
const graceMs = 60_000;

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

export type SessionStore = ReturnType<typeof makeSessionStore>;

/** Sessions of browsers; only hashes of their secrets are stored. */
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
    /** Deletes the oldest sessions above the limit. */
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
    /** null for a secret that is unknown, expired, or was replaced a while ago. */
    findSession(secret: string) {
      const hash = hashSecret(secret);
      const found = sessions(database).find(
        `WHERE expires_at > :now AND
           (hash = :hash OR (earlier_hash = :hash AND coalesce(seen_at, :now) > :now - :graceMs))`,
        { hash, now: now(), graceMs },
      );
      if (found && found.earlierHash !== null && found.earlierHash !== hash && found.seenAt === null) {
        writeIfPossible(() => sessions(database).update({ id: found.id }, { seenAt: now() }));
      }
      return found;
    },
    isSessionOpen: (id: number): boolean =>
      database.get('SELECT 1 FROM sessions WHERE id = :id AND expires_at > :now', { id, now: now() }) !==
      undefined,
    /** null if there is none. */
    findRotationTime: (id: number) => sessions(database).find('WHERE id = :id', { id })?.rotatedAt ?? null,
    /**
     * Creates a new secret for the same session; the old one works until a minute after the first use of the new one.
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
