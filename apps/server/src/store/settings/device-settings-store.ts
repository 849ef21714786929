import {
  type DeviceSettings,
  deviceSettingsSchema,
  noDeviceSettings,
} from '@mqttlab/shared/messages/device-settings';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineTable, json } from '../table.ts';

const deviceSettings = defineTable('device_settings', {
  deviceId: z.string(),
  // Of another version of the program: as if nothing had been said.
  settings: json(deviceSettingsSchema).catch(noDeviceSettings),
});

export type DeviceSettingsStore = ReturnType<typeof makeDeviceSettingsStore>;

/** They go with their device. */
export function makeDeviceSettingsStore(database: Database) {
  return {
    /** Those of a device that nobody said anything about are all null. */
    find: (deviceId: string): DeviceSettings =>
      deviceSettings(database).find('WHERE device_id = :deviceId', { deviceId })?.settings ??
      noDeviceSettings,
    save(deviceId: string, settings: DeviceSettings): void {
      deviceSettings(database).save({
        key: 'device_id',
        values: deviceSettings.toParams({ deviceId, settings }),
      });
    },
  };
}
