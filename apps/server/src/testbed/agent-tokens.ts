import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AgentIdentity } from './agent-link.ts';

interface DeviceRow {
  id: string;
  name: string;
  role: AgentIdentity['role'];
  tokenHash: string;
}

/** Where devices are kept. */
export interface DeviceRows {
  save(device: DeviceRow & { testbedId: string; pool?: string }): unknown;
  findByTokenHash(tokenHash: string): DeviceRow | null;
}

/** Registers a device with a new token of 256 random bits; only its hash is kept, an earlier token ends. */
export function issueAgentToken(
  devices: DeviceRows,
  device: AgentIdentity & { testbedId: string; pool?: string | null },
): string {
  const token = randomBytes(32).toString('base64url');
  const { deviceId: id, name, role, testbedId, pool } = device;
  devices.save({ id, name, role, testbedId, ...(pool && { pool }), tokenHash: hashOf(token) });
  return token;
}

/** null for a token that is not ours. */
export function identifyAgent(devices: DeviceRows, token: string): AgentIdentity | null {
  const tokenHash = hashOf(token);
  const row = devices.findByTokenHash(tokenHash);
  if (row === null || !timingSafeEqual(Buffer.from(row.tokenHash), Buffer.from(tokenHash))) return null;
  return { deviceId: row.id, name: row.name, role: row.role };
}

/** Tokens are random, so that a plain hash is enough (no dictionary to try). */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** From the name: what addresses, process lists and files can carry. */
export function toDeviceId(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
