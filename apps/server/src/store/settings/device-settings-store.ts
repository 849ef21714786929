import {
  type DeviceSettings,
  deviceSettingsSchema,
  noDeviceSettings,
} from '@mqttlab/shared/messages/device-settings';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { json } from '../row.ts';

export interface DeviceSettingsStore {
  /** Those of a device that nobody said anything about are all null. */
  find(deviceId: string): DeviceSettings;
  save(deviceId: string, settings: DeviceSettings): void;
}

// Of another version of the program: as if nothing had been said.
const rowSchema = z.object({ settings_json: json(deviceSettingsSchema).catch(noDeviceSettings) });

/** They go with their device. */
export function makeDeviceSettingsStore(database: Database): DeviceSettingsStore {
  return {
    find(deviceId) {
      const row = database.get('SELECT settings_json FROM device_settings WHERE device_id = :deviceId', {
        deviceId,
      });
      return row ? rowSchema.parse(row).settings_json : noDeviceSettings;
    },
    save(deviceId, settings) {
      database.run(
        `INSERT INTO device_settings (device_id, settings_json) VALUES (:deviceId, :settings)
         ON CONFLICT (device_id) DO UPDATE SET settings_json = :settings`,
        { deviceId, settings: JSON.stringify(settings) },
      );
    },
  };
}
