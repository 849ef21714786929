import { type AgentCapabilities, agentCapabilitiesSchema } from '@mqttlab/shared/domain/devices/capabilities';
import { roles } from '@mqttlab/shared/domain/devices/device';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineTable, json, type RowOf, type StoreOptions } from '../table.ts';

const devices = defineTable('devices', {
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  testbedId: z.string(),
  /** Pool it enrolled in; null for a device that did not enrol itself. */
  pool: z.string().nullable(),
  /** SHA-256 of its agent's token, hex. */
  tokenHash: z.string(),
  // As last announced by its agent; null before it first connected. An agent of another version may have announced
  // another format; it will announce again.
  capabilities: json(agentCapabilitiesSchema).nullable().catch(null),
  createdAt: z.number(),
  lastSeenAt: z.number().nullable(),
});
type DeviceRecord = RowOf<typeof devices>;

type NewDevice = Pick<DeviceRecord, 'id' | 'name' | 'role' | 'testbedId' | 'tokenHash'> & { pool?: string };

export type DeviceStore = ReturnType<typeof makeDeviceStore>;

/** Known devices, connected or not. */
export function makeDeviceStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const find = (id: string) => devices(database).find('WHERE id = :id', { id });
  return {
    /** By testbed, role and name. */
    listDevices: () => devices(database).list('ORDER BY testbed_id, role, name'),
    findDevice: find,
    findDeviceByTokenHash: (hash: string) => devices(database).find('WHERE token_hash = :hash', { hash }),
    /** Adds a device, or renames it and replaces its token; its announced capabilities stay. */
    saveDevice(device: NewDevice): DeviceRecord {
      const values = devices.toParams(device);
      devices(database).save({ key: 'id', values, once: { created_at: now() } });
      const saved = find(device.id);
      if (!saved) throw new Error(`device ${device.id} vanished while it was written`);
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
