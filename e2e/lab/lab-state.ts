import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';

const deviceSchema = z.strictObject({
  /** Name and host name. */
  name: z.string(),
  namespace: z.string(),
  number: z.int().min(1),
  kind: z.enum(['systemd', 'plain']),
  addresses: z.strictObject({ ethernet: z.string(), wifi: z.string() }),
});

/** Written before anything is created, so that "down" works after a crash. */
const labStateSchema = z.strictObject({
  name: z.string(),
  /** Namespace of the bridges. */
  hub: z.string(),
  /** The interface outside the namespace through which this machine reaches the devices. */
  uplink: z.string(),
  /** First two bytes of every address, and the third of the first of two networks. */
  network: z.strictObject({ prefix: z.string(), ethernet: z.int(), wifi: z.int() }),
  tree: z.string(),
  keyFile: z.string(),
  devices: z.array(deviceSchema),
});

export type LabState = z.infer<typeof labStateSchema>;
export type LabDevice = LabState['devices'][number];
export type LabLink = keyof LabDevice['addresses'];

export function readLabState(path: string): LabState | null {
  return existsSync(path) ? labStateSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

export function writeLabState(path: string, state: LabState): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.part`, JSON.stringify(state, null, 2), { mode: 0o600 });
  renameSync(`${path}.part`, path);
}
