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
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,31}$/, 'must consist of 1 to 32 letters, digits, dots or hyphens'),
  interface: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/, 'is not the name of an interface'),
  /** Informational. */
  address: z.string().max(80).optional(),
});

const inventoryDeviceSchema = z.strictObject({
  name: deviceNameSchema,
  address: hostSchema,
  port: portSchema,
  user: userSchema,
  /** Used once, like an entered password; omit it if the server's key is already on the device. */
  password: passwordSchema.optional(),
  /** Fingerprint of the host key, from the inventory's creator; if omitted, the user compares it. */
  fingerprint: fingerprintSchema.optional(),
  /** Informational: a private key that also gives access to the device. mqttlab does not use it. */
  keyFile: z.string().max(500).optional(),
  links: z.array(linkSchema).max(20).default([]),
});

/** Devices to add at once, as printed by `npm run lab` or written by a user. */
export const inventorySchema = z.strictObject({
  /** Creator; informational. */
  lab: z.string().max(80).optional(),
  serverAddress: z.string().max(80).optional(),
  /** Name of the testbed to create from the devices; if omitted, no testbed is created. */
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
            addIssue({ code: 'custom', path: [index, field], message: `${device[field]} is listed twice` });
          }
          seen.add(value);
        }
      }
    }),
});

/** Import request. Every host key was compared, either with the inventory or by a user. */
export const importDevicesSchema = z.strictObject({
  testbed: inventorySchema.shape.testbed,
  devices: z
    .array(addDeviceSchema.extend({ links: z.array(linkSchema).max(20).default([]) }))
    .min(1)
    .max(64),
});

/** Progress of an import. */
export const importStateSchema = z.strictObject({
  status: z.enum(['running', 'done', 'failed']),
  devices: z.array(
    z.strictObject({
      deviceId: z.union([deviceIdSchema, z.literal('')]),
      name: z.string(),
      /** null before the device's turn, and if it was refused beforehand. */
      installation: installationSchema.nullable(),
      /** Reason why it was refused, with a remedy; null if it was not refused. */
      refusal: z.string().nullable(),
    }),
  ),
  testbed: z
    .strictObject({
      name: z.string(),
      status: z.enum(['waiting', 'made', 'failed']),
      /** The testbed's links, or the reason why it was not created. */
      detail: z.string(),
    })
    .nullable(),
});

export type Inventory = z.infer<typeof inventorySchema>;
export type InventoryDevice = Inventory['devices'][number];
export type ImportDevices = z.infer<typeof importDevicesSchema>;
export type ImportState = z.infer<typeof importStateSchema>;

/**
 * Returns the role of a device by its position. The first device is the broker; the others alternate between
 * publisher and subscriber.
 */
export function roleInInventory(index: number): Role {
  if (index === 0) return 'broker';
  return index % 2 === 1 ? 'publisher' : 'subscriber';
}
