import {
  type ExternalBroker,
  type ExternalBrokerSettings,
  externalBrokerSchema,
  isSamePlace,
} from '@mqttlab/shared/domain/devices/external-broker';
import * as z from 'zod';
import type { Database } from '../database.ts';
import type { SecretBox } from '../secret-box.ts';
import { secretUses } from '../secret-box.ts';
import { defineTable, json, type RowOf, type StoreOptions } from '../table.ts';

const brokers = defineTable('external_brokers', {
  testbedId: z.string(),
  broker: json(externalBrokerSchema),
  password: z.string().nullable(),
});

export type BrokerStore = ReturnType<typeof makeBrokerStore>;

/** The external broker of each testbed. */
export function makeBrokerStore(
  database: Database,
  { secrets, now = Date.now }: StoreOptions & { secrets: SecretBox },
) {
  // A testbed's state is read at every event, including those during shutdown, when the database is closed.
  const known = new Map<string, Pick<RowOf<typeof brokers>, 'broker' | 'password'> | null>();
  const read = (testbedId: string) => {
    const kept = known.get(testbedId);
    if (kept !== undefined) return kept;
    const row = brokers(database).find('WHERE testbed_id = :testbedId', { testbedId });
    const sealed = row?.password ?? null;
    // If the key file was lost, so was the password, which must be entered again.
    const password = sealed === null ? null : secrets.open(sealed, secretUses.brokerPassword);
    const found = row && { broker: { ...row.broker, hasPassword: password !== null }, password };
    known.set(testbedId, found);
    return found;
  };
  return {
    /** null if the testbed has none. */
    findExternalBroker: (testbedId: string): ExternalBroker | null => read(testbedId)?.broker ?? null,
    /** For CONNECT; null without a user name. */
    findBrokerCredentials(testbedId: string): { username: string; password: string } | null {
      const row = read(testbedId);
      const username = row?.broker.username ?? null;
      return username === null ? null : { username, password: row?.password ?? '' };
    },
    /** Without a new password the stored one stays, as long as there is a user name and the address is unchanged. */
    saveExternalBroker(
      testbedId: string,
      { password: given, ...fields }: ExternalBrokerSettings,
    ): ExternalBroker {
      const kept = read(testbedId);
      const stays = kept !== null && isSamePlace(kept.broker, fields) ? kept.password : null;
      const wanted = given === undefined ? stays : given;
      const password = fields.username === null || wanted === '' ? null : wanted;
      const broker: ExternalBroker = { ...fields, hasPassword: password !== null };
      const sealed = password === null ? null : secrets.seal(password, secretUses.brokerPassword);
      const values = brokers.toParams({ testbedId, broker, password: sealed });
      brokers(database).save({ key: 'testbed_id', values: { ...values, updated_at: now() } });
      known.delete(testbedId);
      return broker;
    },
    /** False if there was none. */
    removeExternalBroker(testbedId: string): boolean {
      known.delete(testbedId);
      return brokers(database).remove({ testbed_id: testbedId });
    },
  };
}
