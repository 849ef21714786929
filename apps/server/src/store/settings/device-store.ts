import { type AgentCapabilities, agentCapabilitiesSchema } from '@mqttlab/shared/domain/devices/capabilities';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import * as z from 'zod';
import { leaveOut, readEach } from '../broken-row.ts';
import type { Database } from '../database.ts';
import type { StoreOptions } from '../experiments/experiment-store.ts';
import { json } from '../row.ts';

interface DeviceRecord {
  id: string;
  name: string;
  role: Role;
  testbedId: string;
  /** SHA-256 of the token its agent holds, hex. */
  tokenHash: string;
  /** As its agent announced them last; null before it ever connected. */
  capabilities: AgentCapabilities | null;
  createdAt: number;
  lastSeenAt: number | null;
}

export interface DeviceStore {
  /** By testbed, role and name. */
  list(): DeviceRecord[];
  find(id: string): DeviceRecord | null;
  findByTokenHash(tokenHash: string): DeviceRecord | null;
  /** Adds a device, or renames it and replaces its token; what it announced stays. */
  save(device: Pick<DeviceRecord, 'id' | 'name' | 'role' | 'testbedId' | 'tokenHash'>): DeviceRecord;
  saveCapabilities(id: string, capabilities: AgentCapabilities): void;
  touch(id: string): void;
  remove(id: string): void;
}

const columns = 'id, name, role, testbed_id, token_hash, capabilities_json, created_at, last_seen_at';
const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  testbed_id: z.string(),
  token_hash: z.string(),
  // An agent of another version may have announced another form; it will announce again.
  capabilities_json: json(agentCapabilitiesSchema).nullable().catch(null),
  created_at: z.number(),
  last_seen_at: z.number().nullable(),
});

function parseDevice(input: unknown): DeviceRecord {
  const row = rowSchema.parse(input);
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    testbedId: row.testbed_id,
    tokenHash: row.token_hash,
    capabilities: row.capabilities_json,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  };
}

/** Devices that are known, connected or not. */
export function makeDeviceStore(database: Database, options: StoreOptions = {}): DeviceStore {
  const now = options.now ?? Date.now;
  const find = (where: 'id' | 'token_hash', value: string) => {
    const row = database.get(`SELECT ${columns} FROM devices WHERE ${where} = :value`, { value });
    return row ? parseDevice(row) : null;
  };
  return {
    list: () =>
      readEach(
        database.all(`SELECT ${columns} FROM devices ORDER BY testbed_id, role, name`),
        parseDevice,
        leaveOut,
      ),
    find: (id) => find('id', id),
    findByTokenHash: (tokenHash) => find('token_hash', tokenHash),
    save({ id, name, role, testbedId, tokenHash }) {
      database.run(
        `INSERT INTO devices (id, name, role, testbed_id, token_hash, created_at)
         VALUES (:id, :name, :role, :testbedId, :tokenHash, :now)
         ON CONFLICT (id) DO UPDATE SET name = :name, role = :role, testbed_id = :testbedId, token_hash = :tokenHash`,
        { id, name, role, testbedId, tokenHash, now: now() },
      );
      const saved = find('id', id);
      if (!saved) throw new Error(`device ${id} vanished while it was written`);
      return saved;
    },
    saveCapabilities(id, capabilities) {
      database.run(
        'UPDATE devices SET capabilities_json = :capabilities, last_seen_at = :now WHERE id = :id',
        { id, capabilities: JSON.stringify(capabilities), now: now() },
      );
    },
    touch(id) {
      database.run('UPDATE devices SET last_seen_at = :now WHERE id = :id', { id, now: now() });
    },
    remove(id) {
      database.run('DELETE FROM devices WHERE id = :id', { id });
    },
  };
}
