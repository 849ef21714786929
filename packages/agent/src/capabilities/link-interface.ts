import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import { RunFailure } from '../runs/run-failure.ts';

/** People say "lte" for what the kernel calls wwan. */
const kindNames: Readonly<Record<string, NetworkInterface['kind']>> = {
  loopback: 'loopback',
  ethernet: 'ethernet',
  wifi: 'wifi',
  lte: 'cellular',
  cellular: 'cellular',
};

/**
 * The interface that a link stands for on this device: the one of that name, else the first of that kind that is
 * up and has an address. Throws RunFailure 'link-missing'.
 */
export function findLinkInterface(link: string, interfaces: readonly NetworkInterface[]): NetworkInterface {
  const usable = interfaces.filter(({ up, address }) => up && address !== '');
  const found =
    usable.find(({ name }) => name === link) ?? usable.find(({ kind }) => kind === kindNames[link]);
  if (found !== undefined) return found;
  const offered = usable.map(({ name, kind }) => `${name} (${kind})`).join(', ') || 'none';
  throw new RunFailure({
    code: 'link-missing',
    message: `This device has no interface for the link "${link}" that is up; it has ${offered}.`,
    remedy: 'Connect the interface, or choose another link for this testbed.',
  });
}
