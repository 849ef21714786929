import { type Authorship, authorshipSchema } from '@mqttlab/shared/domain/authorship';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineTable } from '../table.ts';

const authorshipTable = defineTable('authorship', { revision: z.int(), ...authorshipSchema.shape });

export type AuthorshipStore = ReturnType<typeof makeAuthorshipStore>;

/** Author, licence and funding that exports state. */
export function makeAuthorshipStore(database: Database) {
  const read = (): Authorship => readAuthorship(database).authorship;
  return {
    read,
    save(values: Authorship): Authorship {
      const { revision } = readAuthorship(database);
      authorshipTable(database).update({ id: 1 }, { ...values, revision: revision + 1 });
      return read();
    },
  };
}

/** With a number that changes with every change. */
export function readAuthorship(database: Database): { authorship: Authorship; revision: number } {
  const row = authorshipTable(database).find('WHERE id = :id', { id: 1 });
  if (!row) throw new Error('the table authorship has no row');
  const { revision, ...authorship } = row;
  return { authorship, revision };
}
