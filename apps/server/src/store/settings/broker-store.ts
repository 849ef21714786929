import {
  type ExternalBroker,
  type ExternalBrokerSettings,
  externalBrokerSchema,
  isSamePlace,
} from '@mqttlab/shared/domain/devices/external-broker';
import * as z from 'zod';
import type { Database } from '../database.ts';
import type { StoreOptions } from '../experiments/experiment-store.ts';
import { json } from '../row.ts';
import { secretUses } from './seal-secrets.ts';
import type { SecretBox } from './secret-box.ts';

export interface BrokerStore {
  /** null where the testbed has none. */
  find(testbedId: string): ExternalBroker | null;
  /** For CONNECT; null without a user name. */
  credentials(testbedId: string): { username: string; password: string } | null;
  /** Without a password the one that is kept stays, as long as there is a user name and the broker is where it was. */
  save(testbedId: string, settings: ExternalBrokerSettings): ExternalBroker;
  /** False where there was none. */
  remove(testbedId: string): boolean;
}

const rowSchema = z.object({ broker_json: json(externalBrokerSchema), password: z.string().nullable() });

function readRow(row: unknown, secrets: SecretBox): z.infer<typeof rowSchema> {
  const { broker_json: broker, password: stored } = rowSchema.parse(row);
  const password = stored === null ? null : secrets.open(stored, secretUses.brokerPassword);
  // Where the key file was lost, the password was lost with it and is asked for again.
  return { broker_json: { ...broker, hasPassword: password !== null }, password };
}

/** The external broker of each testbed. */
export function makeBrokerStore(
  database: Database,
  options: StoreOptions & { secrets: SecretBox },
): BrokerStore {
  const { secrets } = options;
  const now = options.now ?? Date.now;
  // A testbed's state is asked for at every event, also at the last ones, when the database is closed already.
  const known = new Map<string, z.infer<typeof rowSchema> | null>();
  const read = (testbedId: string) => {
    const kept = known.get(testbedId);
    if (kept !== undefined) return kept;
    const row = database.get(
      'SELECT broker_json, password FROM external_brokers WHERE testbed_id = :testbedId',
      { testbedId },
    );
    const found = row ? readRow(row, secrets) : null;
    known.set(testbedId, found);
    return found;
  };
  return {
    find: (testbedId) => read(testbedId)?.broker_json ?? null,
    credentials(testbedId) {
      const row = read(testbedId);
      const username = row?.broker_json.username ?? null;
      return username === null ? null : { username, password: row?.password ?? '' };
    },
    save(testbedId, { password: given, ...fields }) {
      const kept = read(testbedId);
      const stays = kept !== null && isSamePlace(kept.broker_json, fields) ? kept.password : null;
      const wanted = given === undefined ? stays : given;
      const password = fields.username === null || wanted === '' ? null : wanted;
      const broker: ExternalBroker = { ...fields, hasPassword: password !== null };
      database.run(
        `INSERT INTO external_brokers (testbed_id, broker_json, password, updated_at)
         VALUES (:testbedId, :broker, :password, :now)
         ON CONFLICT (testbed_id) DO UPDATE SET broker_json = :broker, password = :password, updated_at = :now`,
        {
          testbedId,
          broker: JSON.stringify(broker),
          now: now(),
          password: password === null ? null : secrets.seal(password, secretUses.brokerPassword),
        },
      );
      known.delete(testbedId);
      return broker;
    },
    remove(testbedId) {
      known.delete(testbedId);
      const sql = 'DELETE FROM external_brokers WHERE testbed_id = :testbedId';
      return database.run(sql, { testbedId }).changes > 0;
    },
  };
}
