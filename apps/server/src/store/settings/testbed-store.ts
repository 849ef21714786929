import { type TestbedLink, testbedLinkSchema } from '@mqttlab/shared/domain/devices/capabilities';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import * as z from 'zod';
import type { Database } from '../database.ts';
import type { StoreOptions } from '../experiments/experiment-store.ts';
import { json } from '../row.ts';

export interface TestbedRecord {
  testbedId: string;
  name: string;
  links: TestbedLink[];
  devices: { deviceId: string; name: string; role: Role }[];
}

export interface TestbedWish {
  testbedId: string;
  name: string;
  links: readonly TestbedLink[];
  devices: readonly { deviceId: string; role: Role }[];
}

export interface TestbedStore {
  list(): TestbedRecord[];
  find(testbedId: string): TestbedRecord | null;
  /** Adds it or makes it so; devices that belonged to it and no longer do are free again. */
  save(wish: TestbedWish): void;
  remove(testbedId: string): void;
}

const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  links_json: json(z.array(testbedLinkSchema)),
});

const memberSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  testbed_id: z.string(),
});

/** Testbeds of devices that were added; the one of the server's own machine is not stored. */
export function makeTestbedStore(database: Database, options: StoreOptions = {}): TestbedStore {
  const now = options.now ?? Date.now;
  // Asked whenever a device comes or goes: one look at all members, and not at what they announced.
  const readMembers = (): Map<string, z.infer<typeof memberSchema>[]> =>
    Map.groupBy(
      database
        .all("SELECT id, name, role, testbed_id FROM devices WHERE testbed_id <> '' ORDER BY role, name")
        .map((row) => memberSchema.parse(row)),
      (member) => member.testbed_id,
    );
  const parse = (input: unknown, members: ReturnType<typeof readMembers>): TestbedRecord => {
    const { id, name, links_json: links } = rowSchema.parse(input);
    const devices = (members.get(id) ?? []).map((device) => ({
      deviceId: device.id,
      name: device.name,
      role: device.role,
    }));
    return { testbedId: id, name, links, devices };
  };
  const release = (testbedId: string): void => {
    database.run("UPDATE devices SET testbed_id = '' WHERE testbed_id = :testbedId", { testbedId });
  };
  return {
    list() {
      const rows = database.all('SELECT id, name, links_json FROM testbeds ORDER BY created_at');
      const members = rows.length === 0 ? new Map() : readMembers();
      return rows.map((row) => parse(row, members));
    },
    find(testbedId) {
      const row = database.get('SELECT id, name, links_json FROM testbeds WHERE id = :testbedId', {
        testbedId,
      });
      return row ? parse(row, readMembers()) : null;
    },
    save({ testbedId, name, links, devices: wanted }) {
      database.transaction(() => {
        database.run(
          `INSERT INTO testbeds (id, name, links_json, created_at) VALUES (:testbedId, :name, :links, :now)
           ON CONFLICT (id) DO UPDATE SET name = :name, links_json = :links`,
          { testbedId, name, links: JSON.stringify(links), now: now() },
        );
        release(testbedId);
        for (const { deviceId, role } of wanted) {
          database.run('UPDATE devices SET testbed_id = :testbedId, role = :role WHERE id = :deviceId', {
            testbedId,
            role,
            deviceId,
          });
        }
      });
    },
    remove(testbedId) {
      database.transaction(() => {
        release(testbedId);
        database.run('DELETE FROM testbeds WHERE id = :testbedId', { testbedId });
      });
    },
  };
}
