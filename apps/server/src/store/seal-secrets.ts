import * as z from 'zod';
import type { Database } from './database.ts';
import { isSealed, type SecretBox } from './secret-box.ts';
import { StorageError } from './storage-error.ts';

/** Where secrets are that the server must be able to read again. */
export const secretUses = {
  brokerPassword: 'external_brokers.password',
  webhookSecret: 'webhooks.secret',
  externalDevicePassword: 'external_devices.password',
  externalDevicePayloadKey: 'external_devices.payload_key',
} as const;

const rowSchema = z.object({ id: z.int(), secret: z.string() });

interface OpenSecret {
  use: string;
  id: number;
  secret: string;
}

/**
 * Encrypts what an earlier version left as it was. Returns where secrets are that another key was used for: they are
 * as good as forgotten.
 */
export function sealSecrets(database: Database, box: SecretBox): string[] {
  const unreadable = new Set<string>();
  const open: OpenSecret[] = [];
  for (const use of Object.values(secretUses)) {
    const [table, column] = use.split('.');
    const sql = `SELECT rowid AS id, ${column} AS secret FROM ${table} WHERE ${column} IS NOT NULL`;
    for (const { id, secret } of database.all(sql).map((row) => rowSchema.parse(row))) {
      if (!isSealed(secret)) open.push({ use, id, secret });
      else if (box.open(secret, use) === null) unreadable.add(use);
    }
  }
  try {
    if (open.length > 0) sealAll(database, open, box);
  } catch (error) {
    // A disk that is full now lets it be done at the next start.
    if (!(error instanceof StorageError)) throw error;
  }
  return [...unreadable];
}

/** Every secret that can be read again, so that what leaves the server can be searched for them. */
export function listSecrets(database: Database, box: SecretBox): string[] {
  return Object.values(secretUses).flatMap((use) => {
    const [table, column] = use.split('.');
    const sql = `SELECT rowid AS id, ${column} AS secret FROM ${table} WHERE ${column} IS NOT NULL`;
    return database.all(sql).flatMap((row) => box.open(rowSchema.parse(row).secret, use) ?? []);
  });
}

function sealAll(database: Database, secrets: readonly OpenSecret[], box: SecretBox): void {
  // Overwrites the old text instead of only letting go of its place.
  database.get('PRAGMA secure_delete = ON');
  database.transaction(() => {
    for (const { use, id, secret } of secrets) {
      const [table, column] = use.split('.');
      const sealed = box.seal(secret, use);
      database.run(`UPDATE ${table} SET ${column} = :sealed WHERE rowid = :id`, { id, sealed });
    }
  });
  database.get('PRAGMA secure_delete = OFF');
  database.get('PRAGMA wal_checkpoint(TRUNCATE)');
}
