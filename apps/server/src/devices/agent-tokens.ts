import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Failure } from '@mqttlab/shared/kit/failure';
import { deviceNameSchema } from '@mqttlab/shared/messages/devices';
import type { DeviceStore, EnrolmentStore } from '../store/settings/device-store.ts';
import type { TestbedStore } from '../store/settings/testbed-store.ts';
import type { AgentIdentity } from './agent-link.ts';

interface DeviceRow {
  id: string;
  name: string;
  role: AgentIdentity['role'];
  tokenHash: string;
}

/** Storage of devices. */
export interface DeviceRows {
  saveDevice(device: DeviceRow & { testbedId: string; pool?: string }): unknown;
  findDeviceByTokenHash(tokenHash: string): DeviceRow | null;
}

/**
 * Registers a device with a new token of 256 random bits; only its hash is stored. An earlier token becomes invalid.
 */
export function issueAgentToken(
  devices: DeviceRows,
  device: AgentIdentity & { testbedId: string; pool?: string | null },
): string {
  const token = randomBytes(32).toString('base64url');
  const { deviceId: id, name, role, testbedId, pool } = device;
  devices.saveDevice({ id, name, role, testbedId, ...(pool && { pool }), tokenHash: hashOf(token) });
  return token;
}

/** Returns the device; null for an unknown token. */
export function identifyAgent(devices: DeviceRows, token: string): AgentIdentity | null {
  const tokenHash = hashOf(token);
  const row = devices.findDeviceByTokenHash(tokenHash);
  if (row === null || !timingSafeEqual(Buffer.from(row.tokenHash), Buffer.from(tokenHash))) return null;
  return { deviceId: row.id, name: row.name, role: row.role };
}

/**
 * Returns a plain hash, which is sufficient because tokens are random (a dictionary attack is not possible).
 */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Returns an id derived from the name, limited to characters that are safe in addresses, process lists and
 * files.
 */
export function toDeviceId(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

interface EnrolOptions {
  devices: DeviceStore;
  enrolments: Pick<EnrolmentStore, 'useEnrolment'>;
  testbeds: Pick<TestbedStore, 'listTestbedRecords'>;
  isOnline: (deviceId: string) => boolean;
  onEnrolled: (device: AgentIdentity, pool: string) => void;
}

/** An enrolled agent with a dedicated token, or the reason why it is refused. */
export type Enrolled = { identity: AgentIdentity; token: string } | { detail: string; remedy: string };

const maxIdLength = 40;

/** Returns the end of a name, because the names of similar pods and machines differ at the end. */
const endOf = (name: string): string => name.slice(-maxIdLength).replace(/^[^A-Za-z0-9]+/, '');
const deviceIdOf = (name: string): string => toDeviceId(endOf(name));

/** Thrown inside the transaction that uses a token, so that a refused agent does not use up the token. */
const refused = (reason: string): Failure =>
  new Failure({
    code: 'enrolment-refused',
    message: `${reason}.`,
    remedy: 'Set another name for the agent with --name.',
  });

/**
 * Admits agents with an enrolment token. Each use of the token creates a device in the pool, with a dedicated
 * token. If a device in the pool is offline and reconnects without its token, as after a loss of its disk, it
 * counts as the same device.
 */
export function makeEnrol({ devices, enrolments, testbeds, isOnline, onEnrolled }: EnrolOptions) {
  const admit = (pool: string, given: string): Extract<Enrolled, { token: string }> => {
    const name = deviceNameSchema.safeParse(endOf(given));
    if (!name.success) throw refused(`"${given.slice(0, 80)}" is not a valid device name`);
    const deviceId = toDeviceId(name.data);
    const known = devices.findDevice(deviceId);
    if (known && (known.pool !== pool || isOnline(deviceId))) {
      throw refused(`there is a device ${deviceId} already`);
    }
    const testbed = testbeds
      .listTestbedRecords()
      .find(({ pools }) => pools.some((entry) => entry.pool === pool));
    const role = testbed?.pools.find((entry) => entry.pool === pool)?.role ?? 'publisher';
    const identity = { deviceId, name: name.data, role };
    const token = issueAgentToken(devices, { ...identity, testbedId: testbed?.testbedId ?? '', pool });
    return { identity, token };
  };
  return (secret: string, name: string): Enrolled | null => {
    try {
      const pools: string[] = [];
      const enrolled = enrolments.useEnrolment(secret, {
        // The response with the token did not reach the agent, which never used the token.
        isFree(pool) {
          const known = devices.findDevice(deviceIdOf(name));
          return known?.pool === pool && known.lastSeenAt === null;
        },
        enrol(pool) {
          pools.push(pool);
          return admit(pool, name);
        },
      });
      if (enrolled) onEnrolled(enrolled.identity, pools[0] ?? '');
      return enrolled;
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'enrolment-refused')) throw error;
      return { detail: error.message, remedy: error.remedy };
    }
  };
}
