import {
  type TestbedLink,
  type TestbedPool,
  testbedLinkSchema,
  testbedPoolSchema,
} from '@mqttlab/shared/domain/devices/capabilities';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineTable, json, type RowOf, type StoreOptions } from '../table.ts';

const testbeds = defineTable('testbeds', {
  id: z.string(),
  name: z.string(),
  links: json(z.array(testbedLinkSchema)),
  pools: json(z.array(testbedPoolSchema)),
});

const members = defineTable('devices', {
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  testbedId: z.string(),
  pool: z.string().nullable(),
});

export interface TestbedRecord {
  testbedId: string;
  name: string;
  links: TestbedLink[];
  pools: TestbedPool[];
  devices: { deviceId: string; name: string; role: Role; pool?: string }[];
}

export interface TestbedWish {
  testbedId: string;
  name: string;
  links: readonly TestbedLink[];
  pools?: readonly TestbedPool[];
  devices: readonly { deviceId: string; role: Role }[];
}

export type TestbedStore = ReturnType<typeof makeTestbedStore>;

/** Testbeds of added devices; the server's own machine is not stored. */
export function makeTestbedStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  // Called whenever a device connects or disconnects: reads all members at once, without their capabilities.
  const withMembers = (found: RowOf<typeof testbeds>[]): TestbedRecord[] => {
    if (found.length === 0) return [];
    const all = members(database).list("WHERE testbed_id <> '' ORDER BY role, name");
    return found.map(({ id, ...testbed }) => ({
      testbedId: id,
      ...testbed,
      devices: all
        .filter(({ testbedId }) => testbedId === id)
        .map(({ id: deviceId, name, role, pool }) => ({ deviceId, name, role, ...(pool && { pool }) })),
    }));
  };
  const release = (testbedId: string): void => {
    database.run("UPDATE devices SET testbed_id = '' WHERE testbed_id = :testbedId", { testbedId });
  };
  return {
    listTestbedRecords: () => withMembers(testbeds(database).list('ORDER BY created_at')),
    findTestbedRecord: (testbedId: string): TestbedRecord | null =>
      withMembers(testbeds(database).list('WHERE id = :testbedId', { testbedId }))[0] ?? null,
    /** Adds or replaces a testbed; devices that no longer belong to it become free, those of its pools join. */
    saveTestbed({ testbedId, name, links, pools = [], devices }: TestbedWish): void {
      database.transaction(() => {
        const values = testbeds.toParams({ id: testbedId, name, links: [...links], pools: [...pools] });
        testbeds(database).save({ key: 'id', values, once: { created_at: now() } });
        release(testbedId);
        for (const { deviceId, role } of devices)
          members(database).update({ id: deviceId }, { testbedId, role });
        for (const { pool, role } of pools) members(database).update({ pool }, { testbedId, role });
      });
    },
    removeTestbed(testbedId: string): void {
      database.transaction(() => {
        release(testbedId);
        testbeds(database).remove({ id: testbedId });
      });
    },
  };
}
