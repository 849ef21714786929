import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineTable, type StoreOptions } from '../table.ts';

const keys = defineTable('idempotency_keys', {
  key: z.string(),
  route: z.string(),
  requestHash: z.string(),
  answerJson: z.string(),
  createdAt: z.number(),
});

/** Callers retry within a day. */
const keptMs = 24 * 3_600_000;

export type IdempotencyStore = ReturnType<typeof makeIdempotencyStore>;

/** Answers to creating requests, by the key of their caller. */
export function makeIdempotencyStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  return {
    findFirstAnswer(key: string, route: string): { requestHash: string; answer: unknown } | null {
      const row = keys(database).find('WHERE key = :key AND route = :route AND created_at > :since', {
        key,
        route,
        since: now() - keptMs,
      });
      return row && { requestHash: row.requestHash, answer: JSON.parse(row.answerJson) };
    },
    /** Deletes the answers from before. */
    saveFirstAnswer(entry: { key: string; route: string; requestHash: string; answer: unknown }): void {
      const { answer, ...rest } = entry;
      database.transaction(() => {
        database.run('DELETE FROM idempotency_keys WHERE created_at <= :before', { before: now() - keptMs });
        database.run('DELETE FROM idempotency_keys WHERE key = :key AND route = :route', {
          key: rest.key,
          route: rest.route,
        });
        keys(database).insert({ ...rest, answerJson: JSON.stringify(answer), createdAt: now() });
      });
    },
  };
}
