import {
  type DeviceSettings,
  deviceSettingsSchema,
  noDeviceSettings,
} from '@mqttlab/shared/messages/device-settings';
import { deviceProbeSchema, installationSchema } from '@mqttlab/shared/messages/devices';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { blob, defineTable, flag, json, type RowOf } from '../table.ts';

const deviceSettings = defineTable('device_settings', {
  deviceId: z.string(),
  // An unreadable value counts as no settings.
  settings: json(deviceSettingsSchema).catch(noDeviceSettings),
});

export type DeviceSettingsStore = ReturnType<typeof makeDeviceSettingsStore>;

/** Settings are deleted with their device. */
export function makeDeviceSettingsStore(database: Database) {
  return {
    /** All null for a device without settings. */
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
  /** As sent by SSH (RFC 4253 section 6.6); the only accepted key. */
  hostKey: blob.transform((bytes): Buffer => Buffer.from(bytes)),
  connection: z.enum(['direct', 'tunnel']),
  /** Gets no new runs. */
  draining: flag,
  // null before it is probed. The next installation replaces an unreadable value.
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
    /** The row of the device must exist. */
    addSshDevice(device: Pick<SshDeviceRecord, 'deviceId' | 'host' | 'port' | 'user' | 'hostKey'>): void {
      sshDevices(database).insert({ ...device, connection: 'tunnel' });
    },
    updateSshDevice(deviceId: string, change: Partial<Omit<SshDeviceRecord, 'deviceId'>>): void {
      sshDevices(database).update({ device_id: deviceId }, change);
    },
  };
}
