import { type TestbedLink, testbedLinkSchema } from '@mqttlab/shared/domain/capabilities';
import { type Role, roles } from '@mqttlab/shared/domain/device';
import * as z from 'zod';
import type { Database } from './database.ts';
import type { StoreOptions } from './experiment-store.ts';
import { json } from './row.ts';

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

const memberSchema = z.object({ id: z.string(), name: z.string(), role: z.enum(roles) });

/** Testbeds of devices that were added; the one of the server's own machine is not stored. */
export function makeTestbedStore(database: Database, options: StoreOptions = {}): TestbedStore {
  const now = options.now ?? Date.now;
  const parse = (input: unknown): TestbedRecord => {
    const { id, name, links_json: links } = rowSchema.parse(input);
    // Asked whenever a device comes or goes: what devices announced is not read for it.
    const devices = database
      .all('SELECT id, name, role FROM devices WHERE testbed_id = :id ORDER BY role, name', { id })
      .map((row) => memberSchema.parse(row))
      .map((device) => ({ deviceId: device.id, name: device.name, role: device.role }));
    return { testbedId: id, name, links, devices };
  };
  const release = (testbedId: string): void => {
    database.run("UPDATE devices SET testbed_id = '' WHERE testbed_id = :testbedId", { testbedId });
  };
  return {
    list: () => database.all('SELECT id, name, links_json FROM testbeds ORDER BY created_at').map(parse),
    find(testbedId) {
      const row = database.get('SELECT id, name, links_json FROM testbeds WHERE id = :testbedId', {
        testbedId,
      });
      return row ? parse(row) : null;
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
            ...{ testbedId, role, deviceId },
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
