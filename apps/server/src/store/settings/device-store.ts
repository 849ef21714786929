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
  /** The one it enrolled in; null for a device that did not enrol itself. */
  pool: z.string().nullable(),
  /** SHA-256 of the token its agent holds, hex. */
  tokenHash: z.string(),
  // As its agent announced them last; null before it ever connected. An agent of another version may have announced
  // another form; it will announce again.
  capabilities: json(agentCapabilitiesSchema).nullable().catch(null),
  createdAt: z.number(),
  lastSeenAt: z.number().nullable(),
});
type DeviceRecord = RowOf<typeof devices>;

type NewDevice = Pick<DeviceRecord, 'id' | 'name' | 'role' | 'testbedId' | 'tokenHash'> & { pool?: string };

export type DeviceStore = ReturnType<typeof makeDeviceStore>;

/** Devices that are known, connected or not. */
export function makeDeviceStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const find = (id: string) => devices(database).find('WHERE id = :id', { id });
  return {
    /** By testbed, role and name. */
    list: () => devices(database).list('ORDER BY testbed_id, role, name'),
    find,
    findByTokenHash: (hash: string) => devices(database).find('WHERE token_hash = :hash', { hash }),
    /** Adds a device, or renames it and replaces its token; what it announced stays. */
    save(device: NewDevice): DeviceRecord {
      const values = devices.toParams(device);
      devices(database).save({ key: 'id', values, once: { created_at: now() } });
      const saved = find(device.id);
      if (!saved) throw new Error(`device ${device.id} vanished while it was written`);
      return saved;
    },
    saveCapabilities(id: string, capabilities: AgentCapabilities): void {
      devices(database).update({ id }, { capabilities, lastSeenAt: now() });
    },
    touch(id: string): void {
      devices(database).update({ id }, { lastSeenAt: now() });
    },
    remove(id: string): void {
      devices(database).remove({ id });
    },
  };
}
