import type { AddDevice, HostKeyRequest } from '@mqttlab/shared/messages/devices';
import { conflict, ProblemError } from '../../base/errors.ts';
import type { SshDeviceRecord } from '../../store/settings/device-settings-store.ts';
import { DeviceError } from './device-errors.ts';
import { fingerprintOf, type HostKey, parseHostKey } from './ssh-host.ts';
import { readHostKey } from './ssh-session.ts';

export function isSame(record: SshDeviceRecord | null, { host, port, user }: AddDevice): boolean {
  return record !== null && record.host === host && record.port === port && record.user === user;
}

/** One machine has one agent: two devices at one address would take turns with it. */
export function requireOwnAddress(
  records: readonly SshDeviceRecord[],
  deviceId: string,
  { host, port }: HostKeyRequest,
): void {
  const other = records.find((record) => record.host === host && record.port === port);
  if (other === undefined || other.deviceId === deviceId) return;
  throw conflict(
    `${host}:${port} is the device ${other.deviceId} already.`,
    `Use that name, or remove ${other.deviceId} first.`,
  );
}

export function nameTaken(deviceId: string): ProblemError {
  return new ProblemError({
    status: 409,
    detail: `There is a device ${deviceId} already, and it is another machine.`,
    remedy: 'Choose another name.',
    issues: [{ field: 'name', reason: 'is taken', remedy: 'Choose another one.' }],
  });
}

export function keyOf({ hostKey }: SshDeviceRecord): HostKey {
  const key = parseHostKey(hostKey);
  if (key === null) throw new Error('the pinned host key cannot be read');
  return key;
}

/** A key of another kind is another key of the same device, not a changed one. */
export function isChanged(record: SshDeviceRecord, key: HostKey): boolean {
  return keyOf(record).algorithm === key.algorithm && !record.hostKey.equals(key.blob);
}

/** The key that the address shows now, which must be the one a human has confirmed. */
export async function confirmKey(address: HostKeyRequest, fingerprint: string): Promise<HostKey> {
  const key = await withProblem(readHostKey(address));
  if (fingerprintOf(key.blob) === fingerprint) return key;
  throw new ProblemError({
    status: 409,
    detail: `${address.host} shows another host key (${fingerprintOf(key.blob)}) than the one confirmed (${fingerprint}). Nothing was sent to it.`,
    remedy:
      'Compare it on the device: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub. Then confirm the right one.',
    issues: [{ field: 'fingerprint', reason: 'is not the key of this device', remedy: 'Ask for it again.' }],
  });
}

export function changedKey({ deviceId, hostKey }: SshDeviceRecord, shown: HostKey): ProblemError {
  return new ProblemError({
    status: 409,
    detail: `THE HOST KEY OF ${deviceId} HAS CHANGED: ${fingerprintOf(shown.blob)}; pinned is ${fingerprintOf(hostKey)}.`,
    remedy: 'If its system was installed anew, confirm the new key for this device first.',
    issues: [{ field: 'fingerprint', reason: 'is not the pinned one', remedy: 'Confirm the new key.' }],
  });
}

/** What a device said no to, as an answer to a request. */
export async function withProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    const { message, remedy, field } = error.failure;
    const issues = field === null ? [] : [{ field, reason: message, remedy }];
    throw new ProblemError({ status: 422, detail: message, remedy, issues });
  }
}
