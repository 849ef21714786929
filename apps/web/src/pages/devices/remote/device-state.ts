import type { DeviceState } from '@mqttlab/shared/domain/devices/device-health';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import type { StatusKind } from '../../../ui/status.tsx';

const looks: Readonly<Record<DeviceState, { kind: StatusKind; word: string }>> = {
  online: { kind: 'ready', word: 'Online' },
  busy: { kind: 'running', word: 'Busy' },
  degraded: { kind: 'warning', word: 'Degraded' },
  offline: { kind: 'unreachable', word: 'Offline' },
};

/** Returns the displayed status of a device. */
export function lookOf(state: DeviceState): { kind: StatusKind; word: string } {
  return looks[state];
}

/** Combines the live online flag with the polled status, which is a few seconds older. */
export function stateNow(online: boolean, known: Pick<KnownDevice, 'state'> | undefined): DeviceState {
  if (!online) return 'offline';
  return known === undefined || known.state === 'offline' ? 'online' : known.state;
}

/**
 * Returns "Its clock is 60 min ahead of the server's; its disk is nearly full."; '' if there is no problem.
 */
export function reasonWords(reasons: readonly string[]): string {
  const text = reasons.join('; ');
  return text === '' ? '' : `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

/**
 * Describes the status, address and connection of a device. `testbedName` is the display name of its testbed.
 */
export function describeRemote(
  { state, reasons, ssh, testbedId, role }: KnownDevice,
  testbedName: string,
): { kind: StatusKind; word: string; where: string } {
  const how = ssh?.connection === 'tunnel' ? 'through the SSH session' : 'it dials the server';
  const where = [
    ssh ? `${ssh.user}@${ssh.host}${ssh.port === 22 ? '' : `:${ssh.port}`}` : '',
    ssh?.probe ? `${ssh.probe.os}, ${ssh.probe.architecture}` : '',
    testbedId === '' ? 'in no testbed' : `${role} of ${testbedName}`,
    how,
    // These two states have a separate warning.
    ...(ssh?.trouble && ssh.session !== 'host-key-changed' && ssh.session !== 'refused' ? [ssh.trouble] : []),
    ...(reasons.length > 0 ? [reasonWords(reasons)] : []),
  ].filter((part) => part !== '');
  return { ...lookWithSsh(state, ssh), where: where.join(' · ') };
}

function lookWithSsh(
  state: KnownDevice['state'],
  ssh: KnownDevice['ssh'],
): { kind: StatusKind; word: string } {
  if (ssh?.session === 'host-key-changed') return { kind: 'failed', word: 'Host key changed' };
  if (state !== 'offline' && ssh?.draining) return { kind: 'paused', word: 'Draining' };
  return lookOf(state);
}
