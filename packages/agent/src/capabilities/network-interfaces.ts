import { existsSync, readdirSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import { Failure } from '@mqttlab/shared/kit/failure';
import { readText } from '../base/kernel-files.ts';

/** Addresses by interface name; IPv4 before IPv6, link-local never. */
type AddressBook = Readonly<Record<string, string>>;

/** The addresses that this machine has right now. */
export function readAddresses(): AddressBook {
  const book: Record<string, string> = {};
  for (const [name, addresses = []] of Object.entries(networkInterfaces())) {
    const usable = addresses.filter(({ address }) => !address.startsWith('fe80:'));
    const best = usable.find(({ family }) => family === 'IPv4') ?? usable[0];
    if (best !== undefined) book[name] = best.address;
  }
  return book;
}

/** Every interface under /sys/class/net, loopback last. */
export function readNetworkInterfaces(sysRoot: string, addresses: AddressBook): NetworkInterface[] {
  const folder = join(sysRoot, 'class/net');
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'type')));
  const found = names.map((name) => ({
    name,
    kind: kindOf(folder, name),
    address: addresses[name] ?? '',
    up: isUp(folder, name),
  }));
  const isLast = (entry: NetworkInterface) => Number(entry.kind === 'loopback');
  return found.sort((a, b) => isLast(a) - isLast(b) || a.name.localeCompare(b.name));
}

/** Values of <linux/if_arp.h>. */
const arphrdLoopback = '772';
const arphrdEthernet = '1';

function kindOf(folder: string, name: string): NetworkInterface['kind'] {
  const type = readAttribute(folder, name, 'type');
  const uevent = readAttribute(folder, name, 'uevent');
  if (type === arphrdLoopback) return 'loopback';
  if (existsSync(join(folder, name, 'phy80211')) || existsSync(join(folder, name, 'wireless'))) return 'wifi';
  if (/DEVTYPE=wwan/.test(uevent) || /^(wwan|ppp)/.test(name)) return 'cellular';
  // Bridges, veth pairs and tunnels have no device behind them.
  if (!existsSync(join(folder, name, 'device'))) return 'virtual';
  return type === arphrdEthernet ? 'ethernet' : 'other';
}

/** IFF_UP set and a carrier where the driver tells; loopback and tunnels report "unknown". */
function isUp(folder: string, name: string): boolean {
  const administrativelyUp = (Number.parseInt(readAttribute(folder, name, 'flags'), 16) & 1) === 1;
  return administrativelyUp && ['up', 'unknown'].includes(readAttribute(folder, name, 'operstate'));
}

function readAttribute(folder: string, name: string, attribute: string): string {
  return readText(join(folder, name, attribute)) ?? '';
}

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
 * up and has an address. Throws Failure 'link-missing'.
 */
export function findLinkInterface(link: string, interfaces: readonly NetworkInterface[]): NetworkInterface {
  const usable = interfaces.filter(({ up, address }) => up && address !== '');
  const found =
    usable.find(({ name }) => name === link) ?? usable.find(({ kind }) => kind === kindNames[link]);
  if (found !== undefined) return found;
  const offered = usable.map(({ name, kind }) => `${name} (${kind})`).join(', ') || 'none';
  throw new Failure({
    code: 'link-missing',
    message: `This device has no interface for the link "${link}" that is up; it has ${offered}.`,
    remedy: 'Connect the interface, or choose another link for this testbed.',
  });
}
