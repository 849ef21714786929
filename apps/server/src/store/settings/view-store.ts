import type { View } from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { leaveOut, readEach } from '../broken-row.ts';
import type { Database } from '../database.ts';

export interface ViewStore {
  /** Newest first. */
  list(): View[];
  create(view: Pick<View, 'name' | 'page' | 'state' | 'schemaVersion'>): View;
  /** False where there is none. */
  remove(id: number): boolean;
}

const columns = 'id, name, schema_version, page, state, created_at, updated_at';

const rowSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    schema_version: z.int(),
    page: z.literal('compare'),
    state: z.string(),
    created_at: z.number(),
    updated_at: z.number(),
  })
  .transform(
    (row): View => ({
      id: row.id,
      name: row.name,
      schemaVersion: row.schema_version,
      page: row.page,
      state: row.state,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }),
  );

/** Saved views in SQLite; writes throw StorageError when the disk does not take them. */
export function makeViewStore(
  database: Database,
  { now = Date.now }: { now?: () => number } = {},
): ViewStore {
  return {
    list: () =>
      readEach(
        database.all(`SELECT ${columns} FROM views ORDER BY id DESC`),
        (row) => rowSchema.parse(row),
        leaveOut,
      ),
    create({ name, page, state, schemaVersion }) {
      const { id } = database.run(
        `INSERT INTO views (name, schema_version, page, state, created_at, updated_at)
         VALUES (:name, :schemaVersion, :page, :state, :now, :now)`,
        { name, schemaVersion, page, state, now: now() },
      );
      return rowSchema.parse(database.get(`SELECT ${columns} FROM views WHERE id = :id`, { id }));
    },
    remove: (id) => database.run('DELETE FROM views WHERE id = :id', { id }).changes > 0,
  };
}
