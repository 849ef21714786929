import { randomBytes } from 'node:crypto';
import { type ExternalDevice, externalDeviceSchema } from '@mqttlab/shared/domain/devices/external-device';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { secretUses } from '../seal-secrets.ts';
import type { SecretBox } from '../secret-box.ts';
import { defineTable, json, type StoreOptions } from '../table.ts';

const devices = defineTable('external_devices', {
  testbedId: z.string(),
  device: json(externalDeviceSchema),
  password: z.string(),
});

export type ExternalDeviceStore = ReturnType<typeof makeExternalDeviceStore>;

/** The publisher without an agent of each testbed. */
export function makeExternalDeviceStore(
  database: Database,
  { secrets, now = Date.now }: StoreOptions & { secrets: SecretBox },
) {
  // A testbed's state is asked for at every event, also at the last ones, when the database is closed already.
  const known = new Map<string, { device: ExternalDevice; password: string } | null>();
  const read = (testbedId: string) => {
    const kept = known.get(testbedId);
    if (kept !== undefined) return kept;
    const row = devices(database).find('WHERE testbed_id = :testbedId', { testbedId });
    // Where the key file was lost, so was the password: nobody logs in with an empty one.
    const password = row && (secrets.open(row.password, secretUses.externalDevicePassword) ?? '');
    const found = row && password !== null ? { device: row.device, password } : null;
    known.set(testbedId, found);
    return found;
  };
  return {
    /** null where the testbed has none. */
    find: (testbedId: string): ExternalDevice | null => read(testbedId)?.device ?? null,
    password: (testbedId: string): string | null => read(testbedId)?.password ?? null,
    /** Keeps the password of the same name; for another name, and after a loss, there is a new one. */
    save(testbedId: string, device: ExternalDevice): ExternalDevice {
      const kept = read(testbedId);
      const password =
        kept?.device.name === device.name && kept.password !== ''
          ? kept.password
          : randomBytes(15).toString('base64url');
      const sealed = secrets.seal(password, secretUses.externalDevicePassword);
      const values = devices.toParams({ testbedId, device, password: sealed });
      devices(database).save({ key: 'testbed_id', values: { ...values, updated_at: now() } });
      known.delete(testbedId);
      return device;
    },
    /** False where there was none. */
    remove(testbedId: string): boolean {
      known.delete(testbedId);
      return devices(database).remove({ testbed_id: testbedId });
    },
  };
}
