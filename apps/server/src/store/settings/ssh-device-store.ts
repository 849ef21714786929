import {
  type DeviceProbe,
  type DeviceSsh,
  deviceProbeSchema,
  type Installation,
  installationSchema,
} from '@mqttlab/shared/messages/devices';
import * as z from 'zod';
import { leaveOut, readEach } from '../broken-row.ts';
import type { Database } from '../database.ts';
import { json } from '../row.ts';

export interface SshDeviceRecord {
  deviceId: string;
  host: string;
  port: number;
  user: string;
  /** As SSH sends it (RFC 4253 section 6.6); the only one that is accepted. */
  hostKey: Buffer;
  connection: DeviceSsh['connection'];
  /** Gets no new runs. */
  draining: boolean;
  /** null before it was probed. */
  probe: DeviceProbe | null;
  /** What was done on it last. */
  installation: Installation | null;
}

type Change = Partial<
  Pick<
    SshDeviceRecord,
    'host' | 'port' | 'user' | 'hostKey' | 'connection' | 'draining' | 'probe' | 'installation'
  >
>;

export interface SshDeviceStore {
  list(): SshDeviceRecord[];
  find(deviceId: string): SshDeviceRecord | null;
  /** The device itself is there already. */
  add(device: Pick<SshDeviceRecord, 'deviceId' | 'host' | 'port' | 'user' | 'hostKey'>): void;
  update(deviceId: string, change: Change): void;
}

const columns = 'device_id, host, port, user, host_key, connection, draining, probe_json, installation_json';
const rowSchema = z.object({
  device_id: z.string(),
  host: z.string(),
  port: z.int(),
  user: z.string(),
  host_key: z.instanceof(Uint8Array),
  connection: z.enum(['direct', 'tunnel']),
  draining: z.int(),
  // Of another version of the program: it is told anew with the next installation.
  probe_json: json(deviceProbeSchema).nullable().catch(null),
  installation_json: json(installationSchema).nullable().catch(null),
});

function parseRow(input: unknown): SshDeviceRecord {
  const row = rowSchema.parse(input);
  return {
    deviceId: row.device_id,
    host: row.host,
    port: row.port,
    user: row.user,
    hostKey: Buffer.from(row.host_key),
    connection: row.connection,
    draining: row.draining !== 0,
    probe: row.probe_json,
    installation: row.installation_json,
  };
}

export function makeSshDeviceStore(database: Database): SshDeviceStore {
  const find = (deviceId: string): SshDeviceRecord | null => {
    const row = database.get(`SELECT ${columns} FROM ssh_devices WHERE device_id = :deviceId`, { deviceId });
    return row ? parseRow(row) : null;
  };
  return {
    find,
    list: () =>
      readEach(database.all(`SELECT ${columns} FROM ssh_devices ORDER BY device_id`), parseRow, leaveOut),
    add({ deviceId, host, port, user, hostKey }) {
      database.run(
        `INSERT INTO ssh_devices (device_id, host, port, user, host_key, connection)
         VALUES (:deviceId, :host, :port, :user, :hostKey, 'tunnel')`,
        { deviceId, host, port, user, hostKey },
      );
    },
    update(deviceId, change) {
      const found = find(deviceId);
      if (found === null) return;
      const { host, port, user, hostKey, connection, draining, probe, installation } = {
        ...found,
        ...change,
      };
      database.run(
        `UPDATE ssh_devices SET host = :host, port = :port, user = :user, host_key = :hostKey, connection = :connection, draining = :draining,
         probe_json = :probe, installation_json = :installation WHERE device_id = :deviceId`,
        {
          deviceId,
          host,
          port,
          user,
          hostKey,
          connection,
          draining: Number(draining),
          probe: probe && JSON.stringify(probe),
          installation: installation && JSON.stringify(installation),
        },
      );
    },
  };
}
