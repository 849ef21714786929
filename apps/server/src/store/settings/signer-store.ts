import type { UnknownSigner } from '@mqttlab/shared/messages/signers';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineTable, type RowOf, type StoreOptions } from '../table.ts';

const signers = defineTable('trusted_signers', {
  id: z.int(),
  fingerprint: z.string(),
  name: z.string(),
  createdAt: z.number(),
});

const unknownRow = z.object({ fingerprint: z.string(), experiments: z.int(), id: z.int(), name: z.string() });

export type SignerRecord = RowOf<typeof signers>;
export type SignerStore = ReturnType<typeof makeSignerStore>;

/** Signers of bundles that this server trusts. */
export function makeSignerStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const findKey = (fingerprint: string): SignerRecord | null =>
    signers(database).find('WHERE fingerprint = :fingerprint', { fingerprint });
  return {
    listSigners: () => signers(database).list('ORDER BY name, id'),
    /** Adds a signer, or renames it. */
    saveSigner({ fingerprint, name }: Pick<SignerRecord, 'fingerprint' | 'name'>): SignerRecord {
      const values = { fingerprint, name };
      signers(database).save({ key: 'fingerprint', values, once: { created_at: now() } });
      const saved = findKey(fingerprint);
      if (!saved) throw new Error(`signer ${fingerprint} vanished while it was written`);
      return saved;
    },
    findSigner: (id: number) => signers(database).find('WHERE id = :id', { id }),
    /** Untrusted keys that signed imported experiments, most recently used first. */
    listUnknownSigners: (): UnknownSigner[] =>
      database
        .all(
          `SELECT imported_json ->> '$.signer' AS fingerprint, count(*) AS experiments, max(id) AS id, name
           FROM experiments
           WHERE deleted_at IS NULL AND imported_json ->> '$.signer' IS NOT NULL
             AND imported_json ->> '$.signer' NOT IN (SELECT fingerprint FROM trusted_signers)
           GROUP BY imported_json ->> '$.signer' ORDER BY max(id) DESC`,
        )
        .map((row) => {
          const { fingerprint, experiments, id, name } = unknownRow.parse(row);
          return { fingerprint, experiments, lastExperiment: { id, name } };
        }),
    /** False if there is none. */
    removeSigner: (id: number) => signers(database).remove({ id }),
    findSignerName: (fingerprint: string) => findKey(fingerprint)?.name ?? null,
  };
}
