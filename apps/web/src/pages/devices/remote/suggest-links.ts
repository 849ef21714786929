import type { NetworkInterface, TestbedLink } from '@mqttlab/shared/domain/devices/capabilities';
import type { KnownDevice } from '../../../api/client.ts';

/**
 * Links that all of these devices have: by the name of the interface, or by its kind where names differ (eth0 here,
 * end0 there). Loopback joins nothing.
 */
export function linksOf(devices: readonly KnownDevice[]): TestbedLink[] {
  const [first, ...rest] = devices;
  if (!first || rest.length === 0) return [];
  return usable(first).flatMap((own) => {
    const others = rest.map((device) => ({ device, found: counterpart(own, usable(device)) }));
    if (others.some(({ found }) => found === undefined)) return [];
    const sameName = others.every(({ found }) => found?.name === own.name);
    const interfaces = { [first.id]: own.name };
    for (const { device, found } of others) interfaces[device.id] = found?.name ?? '';
    return [{ name: sameName ? own.name : own.kind, interfaces }];
  });
}

function usable({ capabilities }: KnownDevice): NetworkInterface[] {
  return (capabilities?.interfaces ?? []).filter(
    ({ kind, up, address }) => kind !== 'loopback' && up && address !== '',
  );
}

function counterpart(
  own: NetworkInterface,
  others: readonly NetworkInterface[],
): NetworkInterface | undefined {
  const byKind = others.filter(({ kind }) => kind === own.kind && kind !== 'virtual');
  return others.find(({ name }) => name === own.name) ?? (byKind.length === 1 ? byKind[0] : undefined);
}
