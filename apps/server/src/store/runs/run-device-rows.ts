import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import * as z from 'zod';
import type { Database } from '../database.ts';

export interface RunDevice {
  deviceId: string;
  role: Role;
}

const rowSchema = z.object({ device_id: z.string(), role: z.enum(roles) });

/**
 * Takes the place of what was kept for this Run before. On the disk once it returns: what devices have heard of keeps
 * its number, also after a power cut.
 */
export function saveRunDevices(database: Database, runId: number, devices: readonly RunDevice[]): void {
  database.syncedTransaction(() => {
    database.run('DELETE FROM run_devices WHERE run_id = :runId', { runId });
    for (const { deviceId, role } of devices) {
      database.run('INSERT INTO run_devices (run_id, device_id, role) VALUES (:runId, :deviceId, :role)', {
        runId,
        deviceId,
        role,
      });
    }
  });
}

/** By device; empty for a Run that was made before this was kept. */
export function readRunDevices(database: Database, runId: number): Map<string, Role> {
  const rows = database
    .all('SELECT device_id, role FROM run_devices WHERE run_id = :runId', { runId })
    .map((row) => rowSchema.parse(row));
  return new Map(rows.map((row) => [row.device_id, row.role]));
}
