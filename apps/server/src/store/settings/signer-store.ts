import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineTable, type RowOf, type StoreOptions } from '../table.ts';

const signers = defineTable('trusted_signers', {
  id: z.int(),
  fingerprint: z.string(),
  name: z.string(),
  createdAt: z.number(),
});

export type SignerRecord = RowOf<typeof signers>;
export type SignerStore = ReturnType<typeof makeSignerStore>;

/** Signers of bundles that this server trusts. */
export function makeSignerStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const find = (fingerprint: string): SignerRecord | null =>
    signers(database).find('WHERE fingerprint = :fingerprint', { fingerprint });
  return {
    list: () => signers(database).list('ORDER BY name, id'),
    /** Adds a signer, or renames it. */
    save({ fingerprint, name }: Pick<SignerRecord, 'fingerprint' | 'name'>): SignerRecord {
      const values = { fingerprint, name };
      signers(database).save({ key: 'fingerprint', values, once: { created_at: now() } });
      const saved = find(fingerprint);
      if (!saved) throw new Error(`signer ${fingerprint} vanished while it was written`);
      return saved;
    },
    /** False if there is none. */
    remove: (id: number) => signers(database).remove({ id }),
    nameOf: (fingerprint: string) => find(fingerprint)?.name ?? null,
  };
}
