import { type Change, type ChangeQuery, changeSchema } from '@mqttlab/shared/messages/access';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineTable, json, type StoreOptions } from '../table.ts';

/** Enough for years of a busy laboratory; the oldest are removed first. */
const maxChanges = 100_000;
/** Repeated saves of one draft by the same user within this time are one change. */
const joinMs = 10 * 60_000;

const fields = json(z.record(z.string(), z.unknown())).nullable();
const changes = defineTable('changes', { ...changeSchema.shape, before: fields, after: fields });

export type NewChange = Omit<Change, 'id' | 'at'>;
export type ChangeStore = ReturnType<typeof makeChangeStore>;

/** Changes: who, what, when, from which address, with the fields before and after. */
export function makeChangeStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const newest = (): Change | null => changes(database).list('ORDER BY id DESC LIMIT 1')[0] ?? null;
  return {
    /** `join`: merged with the last change of the same user to the same object, if that was a moment ago. */
    addChange(change: NewChange, { join }: { join: boolean }): void {
      const last = join ? newest() : null;
      const same = (['actor', 'address', 'action', 'subject'] as const).every(
        (name) => last?.[name] === change[name],
      );
      if (last && same && now() - last.at < joinMs) {
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
