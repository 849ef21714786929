import type { DeviceState } from '@mqttlab/shared/domain/devices/device-health';
import type { KnownDevice } from '../../api/client.ts';
import type { StatusKind } from '../../ui/status-kinds.ts';

const looks: Readonly<Record<DeviceState, { kind: StatusKind; word: string }>> = {
  online: { kind: 'ready', word: 'Online' },
  busy: { kind: 'running', word: 'Busy' },
  degraded: { kind: 'warning', word: 'Degraded' },
  offline: { kind: 'unreachable', word: 'Offline' },
};

/** As what a device is shown. */
export function lookOf(state: DeviceState): { kind: StatusKind; word: string } {
  return looks[state];
}

/** Whether it is there is heard at once, everything else a few seconds later. */
export function stateNow(online: boolean, known: Pick<KnownDevice, 'state'> | undefined): DeviceState {
  if (!online) return 'offline';
  return known === undefined || known.state === 'offline' ? 'online' : known.state;
}

/** "Its clock is 60 min ahead of the server's; its disk is nearly full."; empty when all is well. */
export function reasonWords(reasons: readonly string[]): string {
  const text = reasons.join('; ');
  return text === '' ? '' : `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}
