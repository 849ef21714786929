import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type BrokerPorts, brokerPortsSchema } from '@mqttlab/shared/domain/devices/broker-ports';
import {
  type TestbedLink,
  type TestbedPool,
  testbedLinkSchema,
  testbedPoolSchema,
} from '@mqttlab/shared/domain/devices/capabilities';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import {
  type ExternalBroker,
  type ExternalBrokerSettings,
  externalBrokerSchema,
  isSamePlace,
} from '@mqttlab/shared/domain/devices/external-broker';
import { type ExternalDevice, externalDeviceSchema } from '@mqttlab/shared/domain/devices/external-device';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { type SecretBox, secretUses } from '../secret-box.ts';
import { defineTable, json, type RowOf, type StoreOptions } from '../table.ts';

const testbeds = defineTable('testbeds', {
  id: z.string(),
  name: z.string(),
  links: json(z.array(testbedLinkSchema)),
  pools: json(z.array(testbedPoolSchema)),
  brokerPorts: json(brokerPortsSchema).nullable(),
});

const members = defineTable('devices', {
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  testbedId: z.string(),
  pool: z.string().nullable(),
});

interface TestbedRecord {
  testbedId: string;
  name: string;
  links: TestbedLink[];
  pools: TestbedPool[];
  /** Ports of the brokers in its runs; null for any free port. */
  brokerPorts: BrokerPorts | null;
  devices: { deviceId: string; name: string; role: Role; pool?: string }[];
}

interface TestbedRequest {
  testbedId: string;
  name: string;
  links: readonly TestbedLink[];
  pools?: readonly TestbedPool[];
  brokerPorts?: BrokerPorts | null;
  devices: readonly { deviceId: string; role: Role }[];
}

export type TestbedStore = ReturnType<typeof makeTestbedStore>;

/** Stores testbeds of added devices; the server's own machine is not stored. */
export function makeTestbedStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  // Reads all members at once, without their capabilities, because this is called whenever a device connects
  // or disconnects.
  const withMembers = (found: RowOf<typeof testbeds>[]): TestbedRecord[] => {
    if (found.length === 0) return [];
    const all = members(database).list("WHERE testbed_id <> '' ORDER BY role, name");
    return found.map(({ id, ...testbed }) => ({
      testbedId: id,
      ...testbed,
      devices: all
        .filter(({ testbedId }) => testbedId === id)
        .map(({ id: deviceId, name, role, pool }) => ({ deviceId, name, role, ...(pool && { pool }) })),
    }));
  };
  const release = (testbedId: string): void => {
    database.run("UPDATE devices SET testbed_id = '' WHERE testbed_id = :testbedId", { testbedId });
  };
  return {
    listTestbedRecords: () => withMembers(testbeds(database).list('ORDER BY created_at')),
    findTestbedRecord: (testbedId: string): TestbedRecord | null =>
      withMembers(testbeds(database).list('WHERE id = :testbedId', { testbedId }))[0] ?? null,
    /**
     * Adds or replaces a testbed. Devices that no longer belong to it become free, and the devices in its
     * pools are added.
     */
    saveTestbed({ testbedId, devices, name, links, pools = [], brokerPorts = null }: TestbedRequest): void {
      database.transaction(() => {
        const row = { id: testbedId, name, links: [...links], pools: [...pools], brokerPorts };
        const values = testbeds.toParams(row);
        testbeds(database).save({ key: 'id', values, once: { created_at: now() } });
        release(testbedId);
        for (const { deviceId, role } of devices)
          members(database).update({ id: deviceId }, { testbedId, role });
        for (const { pool, role } of pools) members(database).update({ pool }, { testbedId, role });
      });
    },
    removeTestbed(testbedId: string): void {
      database.transaction(() => {
        release(testbedId);
        testbeds(database).remove({ id: testbedId });
      });
    },
  };
}

const brokers = defineTable('external_brokers', {
  testbedId: z.string(),
  broker: json(externalBrokerSchema),
  password: z.string().nullable(),
});

/** Stores the external broker of each testbed. */
export function makeBrokerStore(
  database: Database,
  { secrets, now = Date.now }: StoreOptions & { secrets: SecretBox },
) {
  // Caches brokers, because a testbed's state is read on every event, including during shutdown, when the
  // database is closed.
  const known = new Map<string, Pick<RowOf<typeof brokers>, 'broker' | 'password'> | null>();
  const read = (testbedId: string) => {
    const kept = known.get(testbedId);
    if (kept !== undefined) return kept;
    const row = brokers(database).find('WHERE testbed_id = :testbedId', { testbedId });
    const sealed = row?.password ?? null;
    // If the key file was lost, the password was also lost and must be entered again.
    const password = sealed === null ? null : secrets.open(sealed, secretUses.brokerPassword);
    const found = row && { broker: { ...row.broker, hasPassword: password !== null }, password };
    known.set(testbedId, found);
    return found;
  };
  return {
    /** Returns the external broker; null if the testbed has none. */
    findExternalBroker: (testbedId: string): ExternalBroker | null => read(testbedId)?.broker ?? null,
    /** Returns credentials for CONNECT; null without a user name. */
    findBrokerCredentials(testbedId: string): { username: string; password: string } | null {
      const row = read(testbedId);
      const username = row?.broker.username ?? null;
      return username === null ? null : { username, password: row?.password ?? '' };
    },
    /**
     * Stores a broker. If no new password is given, the stored password is retained, provided that there is a
     * user name and the address is unchanged.
     */
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
    /** Removes the external broker. Returns false if there was none. */
    removeExternalBroker(testbedId: string): boolean {
      known.delete(testbedId);
      return brokers(database).remove({ testbed_id: testbedId });
    },
  };
}

const devices = defineTable('external_devices', {
  testbedId: z.string(),
  device: json(externalDeviceSchema),
  password: z.string(),
  payloadKey: z.string(),
});

/** Secrets in the device's program: a password, and the private key for a key agreement (PEM). */
interface DeviceSecrets {
  password: string;
  payloadKey: string;
}

/** Stores the external device of each testbed: a publisher or subscriber without an agent. */
export function makeExternalDeviceStore(
  database: Database,
  { secrets, now = Date.now }: StoreOptions & { secrets: SecretBox },
) {
  // Caches devices, because a testbed's state is read on every event, including during shutdown, when the
  // database is closed.
  const known = new Map<string, { device: ExternalDevice; secrets: DeviceSecrets } | null>();
  const sealKey = (key: string) => secrets.seal(key, secretUses.externalDevicePayloadKey);
  const read = (testbedId: string) => {
    const kept = known.get(testbedId);
    if (kept !== undefined) return kept;
    const row = devices(database).find('WHERE testbed_id = :testbedId', { testbedId });
    // If the key file is lost, the password is also lost. A login with an empty password is impossible.
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
    /** Returns the external device; null if the testbed has none. */
    findExternalDevice: (testbedId: string): ExternalDevice | null => read(testbedId)?.device ?? null,
    /** Returns the secrets; null if the testbed has no external device, empty if the secrets are lost. */
    findDeviceSecrets: (testbedId: string): DeviceSecrets | null => read(testbedId)?.secrets ?? null,
    /**
     * Stores a device. Keeps the secrets of a device with the same name; creates new secrets for another name
     * and after a loss.
     */
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
    /** Removes the external device. Returns false if there was none. */
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
