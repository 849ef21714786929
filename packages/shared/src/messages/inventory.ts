import * as z from 'zod';
import type { Role } from '../domain/devices/device.ts';
import {
  addDeviceSchema,
  deviceIdSchema,
  deviceNameSchema,
  fingerprintSchema,
  hostSchema,
  installationSchema,
  passwordSchema,
  portSchema,
  userSchema,
} from './devices.ts';

const linkSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,31}$/, 'needs 1 to 32 letters, digits, dots, hyphens'),
  interface: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/, 'is not the name of an interface'),
  /** For people. */
  address: z.string().max(80).optional(),
});

const inventoryDeviceSchema = z.strictObject({
  name: deviceNameSchema,
  address: hostSchema,
  port: portSchema,
  user: userSchema,
  /** Used once, like one that is typed; left out where the server's key is on the device already. */
  password: passwordSchema.optional(),
  /** Of its host key, by whoever made the device; left out, a person compares it. */
  fingerprint: fingerprintSchema.optional(),
  /** For people: a private key that opens the device as well. It is not read. */
  keyFile: z.string().max(500).optional(),
  links: z.array(linkSchema).max(20).default([]),
});

/** Devices to be added all at once, as `npm run lab` prints them or somebody wrote them. */
export const inventorySchema = z.strictObject({
  /** Who made it; for people. */
  lab: z.string().max(80).optional(),
  serverAddress: z.string().max(80).optional(),
  /** Name of the testbed that is made of them at the end; without it, none is made. */
  testbed: deviceNameSchema.optional(),
  devices: z
    .array(inventoryDeviceSchema)
    .min(1, 'names no device')
    .max(64)
    .superRefine((devices, { addIssue }) => {
      for (const field of ['name', 'address'] as const) {
        const seen = new Set<string>();
        for (const [index, device] of devices.entries()) {
          const value = field === 'name' ? device.name.toLowerCase() : `${device.address}:${device.port}`;
          if (seen.has(value)) {
            addIssue({ code: 'custom', path: [index, field], message: `${device[field]} is there twice` });
          }
          seen.add(value);
        }
      }
    }),
});

/** What is sent: every host key was compared, by the inventory or by a person. */
export const importDevicesSchema = z.strictObject({
  testbed: inventorySchema.shape.testbed,
  devices: z
    .array(addDeviceSchema.extend({ links: z.array(linkSchema).max(20).default([]) }))
    .min(1)
    .max(64),
});

/** How far an import is. */
export const importStateSchema = z.strictObject({
  status: z.enum(['running', 'done', 'failed']),
  devices: z.array(
    z.strictObject({
      deviceId: z.union([deviceIdSchema, z.literal('')]),
      name: z.string(),
      /** null before its turn, and where it was refused before anything was done. */
      installation: installationSchema.nullable(),
      /** Why it was refused, with what to do; null where it was not. */
      refusal: z.string().nullable(),
    }),
  ),
  testbed: z
    .strictObject({
      name: z.string(),
      status: z.enum(['waiting', 'made', 'failed']),
      /** Its links, or why it was not made. */
      detail: z.string(),
    })
    .nullable(),
});

export type Inventory = z.infer<typeof inventorySchema>;
export type InventoryDevice = Inventory['devices'][number];
export type ImportDevices = z.infer<typeof importDevicesSchema>;
export type ImportState = z.infer<typeof importStateSchema>;

/** The first is the broker, then a publisher and a subscriber in turn. */
export function roleInInventory(index: number): Role {
  if (index === 0) return 'broker';
  return index % 2 === 1 ? 'publisher' : 'subscriber';
}
