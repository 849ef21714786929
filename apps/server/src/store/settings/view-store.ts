import { viewSchema } from '@mqttlab/shared/messages/http';
import type { Database } from '../database.ts';
import { defineTable, type RowOf, type StoreOptions } from '../table.ts';

const views = defineTable('views', viewSchema.shape);
type View = RowOf<typeof views>;

export type ViewStore = ReturnType<typeof makeViewStore>;

/** Saved views in SQLite; writes throw StorageError when the disk does not take them. */
export function makeViewStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  return {
    /** Newest first. */
    list: () => views(database).list('ORDER BY id DESC'),
    create(view: Pick<View, 'name' | 'page' | 'state' | 'schemaVersion'>): View {
      const made = { ...view, createdAt: now(), updatedAt: now() };
      return { ...made, id: views(database).insert(made) };
    },
    /** False where there is none. */
    remove: (id: number) => views(database).remove({ id }),
  };
}
