import { type AgentCapabilities, agentCapabilitiesSchema } from '@mqttlab/shared/domain/devices/capabilities';
import { roles } from '@mqttlab/shared/domain/devices/device';
import {
  type DeviceSettings,
  deviceSettingsSchema,
  noDeviceSettings,
} from '@mqttlab/shared/messages/device-settings';
import {
  deviceProbeSchema,
  type Enrolment,
  enrolmentSchema,
  installationSchema,
  type NewEnrolment,
} from '@mqttlab/shared/messages/devices';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { blob, defineTable, flag, json, type RowOf, type StoreOptions } from '../table.ts';
import { hashSecret, makeSecret } from './access-store.ts';

const devices = defineTable('devices', {
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  testbedId: z.string(),
  /** Pool in which the device enrolled; null for a device that did not enrol itself. */
  pool: z.string().nullable(),
  /** SHA-256 of the token of the device's agent, hex. */
  tokenHash: z.string(),
  // Capabilities as last announced by the agent; null before it first connected. An agent of another version
  // may have announced another format, and will announce its capabilities again.
  capabilities: json(agentCapabilitiesSchema).nullable().catch(null),
  createdAt: z.number(),
  lastSeenAt: z.number().nullable(),
});
type DeviceRecord = RowOf<typeof devices>;

type NewDevice = Pick<DeviceRecord, 'id' | 'name' | 'role' | 'testbedId' | 'tokenHash'> & { pool?: string };

export type DeviceStore = ReturnType<typeof makeDeviceStore>;

/** Stores known devices, connected or not. */
export function makeDeviceStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const find = (id: string) => devices(database).find('WHERE id = :id', { id });
  return {
    /** Returns devices by testbed, role and name. */
    listDevices: () => devices(database).list('ORDER BY testbed_id, role, name'),
    findDevice: find,
    findDeviceByTokenHash: (hash: string) => devices(database).find('WHERE token_hash = :hash', { hash }),
    /** Adds a device, or renames it and replaces its token; its announced capabilities stay unchanged. */
    saveDevice(device: NewDevice): DeviceRecord {
      const values = devices.toParams(device);
      devices(database).save({ key: 'id', values, once: { created_at: now() } });
      const saved = find(device.id);
      if (!saved) throw new Error(`device ${device.id} disappeared while it was being written`);
      return saved;
    },
    saveCapabilities(id: string, capabilities: AgentCapabilities): void {
      devices(database).update({ id }, { capabilities, lastSeenAt: now() });
    },
    touchDevice(id: string): void {
      devices(database).update({ id }, { lastSeenAt: now() });
    },
    removeDevice(id: string): void {
      devices(database).remove({ id });
    },
  };
}

const deviceSettings = defineTable('device_settings', {
  deviceId: z.string(),
  // An unreadable value counts as an absence of settings.
  settings: json(deviceSettingsSchema).catch(noDeviceSettings),
});

/** Stores settings, which are deleted with their device. */
export function makeDeviceSettingsStore(database: Database) {
  return {
    /** Returns the settings of a device; all null if it has no settings. */
    findDeviceSettings: (deviceId: string): DeviceSettings =>
      deviceSettings(database).find('WHERE device_id = :deviceId', { deviceId })?.settings ??
      noDeviceSettings,
    saveDeviceSettings(deviceId: string, settings: DeviceSettings): void {
      deviceSettings(database).save({
        key: 'device_id',
        values: deviceSettings.toParams({ deviceId, settings }),
      });
    },
  };
}

const sshDevices = defineTable('ssh_devices', {
  deviceId: z.string(),
  host: z.string(),
  port: z.int(),
  user: z.string(),
  /** Host key as sent by SSH (RFC 4253 section 6.6); the only accepted key. */
  hostKey: blob.transform((bytes): Buffer => Buffer.from(bytes)),
  connection: z.enum(['direct', 'tunnel']),
  /** True if the device gets no new runs. */
  draining: flag,
  // Properties of the device; null before it is probed. The next installation replaces an unreadable value.
  probe: json(deviceProbeSchema).nullable().catch(null),
  /** The last installation. */
  installation: json(installationSchema).nullable().catch(null),
});

export type SshDeviceRecord = RowOf<typeof sshDevices>;

export type SshDeviceStore = ReturnType<typeof makeSshDeviceStore>;

export function makeSshDeviceStore(database: Database) {
  return {
    findSshDevice: (deviceId: string) =>
      sshDevices(database).find('WHERE device_id = :deviceId', { deviceId }),
    listSshDevices: () => sshDevices(database).list('ORDER BY device_id'),
    /** Adds a device; its row in the table of devices must exist. */
    addSshDevice(device: Pick<SshDeviceRecord, 'deviceId' | 'host' | 'port' | 'user' | 'hostKey'>): void {
      sshDevices(database).insert({ ...device, connection: 'tunnel' });
    },
    updateSshDevice(deviceId: string, change: Partial<Omit<SshDeviceRecord, 'deviceId'>>): void {
      sshDevices(database).update({ device_id: deviceId }, change);
    },
  };
}

const enrolments = defineTable('enrolments', enrolmentSchema.shape);

const msPerHour = 3_600_000;

interface Enrolling<T> {
  isFree: (pool: string) => boolean;
  enrol: (pool: string) => T;
}

export type EnrolmentStore = ReturnType<typeof makeEnrolmentStore>;

/** Stores tokens with which agents enrol; secrets are hashed. */
export function makeEnrolmentStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const valid = 'uses_left > 0 AND expires_at > :now';
  return {
    /** Usable tokens. */
    listEnrolments: (): Enrolment[] =>
      enrolments(database).list(`WHERE ${valid} ORDER BY id`, { now: now() }),
    /** Creates a token. Returns the secret, which is only shown once. Deletes expired tokens. */
    createEnrolment({ pool, uses, hours }: NewEnrolment): { enrolment: Enrolment; secret: string } {
      database.run(`DELETE FROM enrolments WHERE expires_at <= :now`, { now: now() });
      const secret = makeSecret();
      const values = { pool, usesLeft: uses, createdAt: now(), expiresAt: now() + hours * msPerHour };
      const id = enrolments(database).insert(values, { hash: hashSecret(secret) });
      return { enrolment: { id, ...values }, secret };
    },
    /** Removes a token. Returns false if there is no such token. */
    removeEnrolment: (id: number): boolean => enrolments(database).remove({ id }),
    /**
     * Uses this token once. Returns null if it is unknown or has expired or been used up. `isFree` returns
     * true if the device is known in its pool and needs no use, so that an exhausted token also works.
     */
    useEnrolment<T>(secret: string, { isFree, enrol }: Enrolling<T>): T | null {
      return database.transaction(() => {
        const key = { hash: hashSecret(secret), now: now() };
        const found = enrolments(database).find(`WHERE hash = :hash AND expires_at > :now`, key);
        if (found === null) return null;
        const { id, pool, usesLeft } = found;
        if (isFree(pool)) return enrol(pool);
        if (usesLeft === 0) return null;
        enrolments(database).update({ id }, { usesLeft: usesLeft - 1 });
        return enrol(pool);
      });
    },
  };
}
