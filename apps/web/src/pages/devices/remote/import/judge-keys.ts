import type { HostKeyAnswer } from '@mqttlab/shared/messages/devices';
import type { ImportDevices, Inventory, InventoryDevice } from '@mqttlab/shared/messages/inventory';
import type { ApiError } from '../../../../api/client.ts';
import type { StatusKind } from '../../../../ui/status-kinds.ts';

export type KeyVerdict = 'looking' | 'as named' | 'to compare' | 'another' | 'silent';

export interface SeenKey {
  data: HostKeyAnswer | undefined;
  error: ApiError | null;
}

/** What the key that a device shows says about it. */
export function judgeKey({ fingerprint }: InventoryDevice, { data, error }: SeenKey): KeyVerdict {
  if (error !== null) return 'silent';
  if (data === undefined) return 'looking';
  if (data.changedFor.length > 0) return 'another';
  if (fingerprint === undefined) return 'to compare';
  return fingerprint === data.fingerprint ? 'as named' : 'another';
}

export const verdictLooks: Readonly<Record<KeyVerdict, { kind: StatusKind; word: string }>> = {
  looking: { kind: 'preparing', word: 'Asking for its host key' },
  'as named': { kind: 'passed', word: 'Host key as in the inventory' },
  'to compare': { kind: 'warning', word: 'Compare its host key' },
  another: { kind: 'failed', word: 'ANOTHER HOST KEY than expected' },
  silent: { kind: 'unreachable', word: 'Does not answer' },
};

/** What is sent once every key is known. */
export function makeImport({ testbed, devices }: Inventory, keys: readonly SeenKey[]): ImportDevices {
  return {
    ...(testbed === undefined ? {} : { testbed }),
    devices: devices.map(({ name, address: host, port, user, password, links }, index) => ({
      name,
      host,
      port,
      user,
      links,
      fingerprint: keys[index]?.data?.fingerprint ?? '',
      login:
        password === undefined ? { kind: 'server-key' as const } : { kind: 'password' as const, password },
    })),
  };
}
