import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type ExternalDevice, externalDeviceSchema } from '@mqttlab/shared/domain/devices/external-device';
import * as z from 'zod';
import type { Database } from '../database.ts';
import type { SecretBox } from '../secret-box.ts';
import { secretUses } from '../secret-box.ts';
import { defineTable, json, type StoreOptions } from '../table.ts';

const devices = defineTable('external_devices', {
  testbedId: z.string(),
  device: json(externalDeviceSchema),
  password: z.string(),
  payloadKey: z.string(),
});

/** Secrets of its program: a password, and the private key of a key agreement (PEM). */
interface DeviceSecrets {
  password: string;
  payloadKey: string;
}

export type ExternalDeviceStore = ReturnType<typeof makeExternalDeviceStore>;

/** The publisher without an agent of each testbed. */
export function makeExternalDeviceStore(
  database: Database,
  { secrets, now = Date.now }: StoreOptions & { secrets: SecretBox },
) {
  // The state of a testbed is read at every event, also during shutdown, when the database is closed.
  const known = new Map<string, { device: ExternalDevice; secrets: DeviceSecrets } | null>();
  const sealKey = (key: string) => secrets.seal(key, secretUses.externalDevicePayloadKey);
  const read = (testbedId: string) => {
    const kept = known.get(testbedId);
    if (kept !== undefined) return kept;
    const row = devices(database).find('WHERE testbed_id = :testbedId', { testbedId });
    // If the key file is lost, so is the password. A login with an empty password is impossible.
    const found = row
      ? {
          device: row.device,
          secrets: {
            password: secrets.open(row.password, secretUses.externalDevicePassword) ?? '',
            payloadKey: secrets.open(row.payloadKey, secretUses.externalDevicePayloadKey) ?? '',
          },
        }
      : null;
    known.set(testbedId, found);
    return found;
  };
  return {
    /** null if the testbed has none. */
    findExternalDevice: (testbedId: string): ExternalDevice | null => read(testbedId)?.device ?? null,
    /** null if the testbed has none; empty if the secrets are lost. */
    findDeviceSecrets: (testbedId: string): DeviceSecrets | null => read(testbedId)?.secrets ?? null,
    /** Keeps the secrets of a device with the same name. Creates new ones for another name and after a loss. */
    saveExternalDevice(testbedId: string, device: ExternalDevice): ExternalDevice {
      const kept = read(testbedId);
      const { password, payloadKey } =
        kept?.device.name === device.name && kept.secrets.password !== ''
          ? kept.secrets
          : { password: randomBytes(15).toString('base64url'), payloadKey: makePrivateKey() };
      const values = devices.toParams({
        testbedId,
        device,
        password: secrets.seal(password, secretUses.externalDevicePassword),
        payloadKey: sealKey(payloadKey),
      });
      devices(database).save({ key: 'testbed_id', values: { ...values, updated_at: now() } });
      known.delete(testbedId);
      return device;
    },
    /** False if there was none. */
    removeExternalDevice(testbedId: string): boolean {
      known.delete(testbedId);
      return devices(database).remove({ testbed_id: testbedId });
    },
  };
}

/** On P-256, in PEM. */
function makePrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
