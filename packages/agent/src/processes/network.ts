import { lookup } from 'node:dns/promises';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { endianness, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import { hostOfUrl, judgeHost } from '@mqttlab/shared/domain/devices/network-address';
import { Failure } from '@mqttlab/shared/kit/failure';
import { readText } from './files.ts';

/** One end of a connection. */
export interface SocketEnd {
  address: string;
  port: number;
}

interface TableRow {
  local: SocketEnd;
  remote: SocketEnd;
  /** Values in the column "st" of proc_pid_net(5). */
  state: string;
  /** Format of the links in /proc/<pid>/fd. */
  socket: string;
}

const established = '01';
const listening = '0A';
/** The first twelve bytes of an IPv4 address in IPv6 notation. */
const mappedPrefix = '00000000000000000000ffff';

/** Returns the local ends of a process's TCP connections to a remote port; empty if they cannot be read. */
export function localEndsOf(procRoot: string, pid: number, remotePort: number): SocketEnd[] {
  const open = socketsOf(procRoot, pid);
  const rows = readTables(join(procRoot, String(pid), 'net'), (_local, remote) => remote === remotePort);
  return rows
    .filter(({ state, socket }) => state === established && open.has(socket))
    .map(({ local }) => local);
}

/**
 * Returns the local addresses that have connections on this port, according to the kernel of the broker's
 * device: independent evidence of the link that clients used. Sorted, without duplicates; empty if the tables
 * cannot be read.
 */
export function peersOfPort(procRoot: string, port: number): string[] {
  const rows = readTables(join(procRoot, 'net'), (local) => local === port);
  const peers = rows.filter(({ state }) => state === established).map(({ remote }) => remote.address);
  return [...new Set(peers)].sort();
}

/**
 * Returns true if that process listens on the port, and false also if its descriptors cannot be read. Reads
 * the kernel's tables instead of connecting, so that another program's listener is not mistaken for this
 * process, and the broker's log contains no extra connection.
 */
export function isListening(pid: number, port: number): boolean {
  const rows = readTables('/proc/net', (local) => local === port).filter(({ state }) => state === listening);
  if (rows.length === 0) return false;
  const open = socketsOf('/proc', pid);
  return rows.some(({ socket }) => open.has(socket));
}

/** Returns the rows with matching ports from the tables for IPv4 and IPv6. */
function readTables(folder: string, isWanted: (local: number, remote: number) => boolean): TableRow[] {
  return ['tcp', 'tcp6'].flatMap((table) =>
    readOr('', () => readFileSync(join(folder, table), 'utf8'))
      .split('\n')
      .flatMap((line) => {
        const [, local = '', remote = '', state = '', , , , , , inode] = line.trim().split(/\s+/);
        if (!isWanted(portOf(local), portOf(remote))) return [];
        return [{ local: endOf(local), remote: endOf(remote), state, socket: `socket:[${inode}]` }];
      }),
  );
}

/** Returns the targets of the process's descriptors; empty if they cannot be read. */
function socketsOf(procRoot: string, pid: number): Set<string | null> {
  const folder = join(procRoot, String(pid), 'fd');
  const names = readOr([], () => readdirSync(folder));
  // null if the descriptor was closed after the folder was listed.
  return new Set(names.map((name) => readOr(null, () => readlinkSync(join(folder, name)))));
}

function endOf(text: string): SocketEnd {
  return { address: addressOf(text), port: portOf(text) };
}

/** Returns the part after the colon, hexadecimal (proc_pid_net(5)); NaN in the header line. */
function portOf(end: string): number {
  return Number.parseInt(end.split(':')[1] ?? '', 16);
}

/** Returns the part before the colon: words of 32 bits in the kernel's byte order. */
function addressOf(end: string): string {
  const bytes = Buffer.from(end.split(':')[0] ?? '', 'hex');
  if (endianness() === 'LE') bytes.swap32();
  const hex = bytes.toString('hex');
  if (bytes.length === 4) return bytes.join('.');
  if (hex.startsWith(mappedPrefix)) return bytes.subarray(12).join('.');
  // Returns the address in the usual shortened form (RFC 5952).
  const groups = hex.match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Addresses by interface name; IPv4 before IPv6, without link-local addresses. */
type AddressBook = Readonly<Record<string, string>>;

/** Returns the current addresses of this machine. */
export function readAddresses(): AddressBook {
  const book: Record<string, string> = {};
  for (const [name, addresses = []] of Object.entries(networkInterfaces())) {
    const usable = addresses.filter(({ address }) => !address.startsWith('fe80:'));
    const best = usable.find(({ family }) => family === 'IPv4') ?? usable[0];
    if (best !== undefined) book[name] = best.address;
  }
  return book;
}

/** Returns every interface in /sys/class/net, loopback last. */
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
  // Bridges, veth pairs and tunnels have no underlying device.
  if (!existsSync(join(folder, name, 'device'))) return 'virtual';
  return type === arphrdEthernet ? 'ethernet' : 'other';
}

/**
 * Returns true if IFF_UP is set and, if the driver reports it, there is a carrier; loopback and tunnels
 * report "unknown".
 */
function isUp(folder: string, name: string): boolean {
  const administrativelyUp = (Number.parseInt(readAttribute(folder, name, 'flags'), 16) & 1) === 1;
  return administrativelyUp && ['up', 'unknown'].includes(readAttribute(folder, name, 'operstate'));
}

function readAttribute(folder: string, name: string, attribute: string): string {
  return readText(join(folder, name, attribute)) ?? '';
}

/** Users call the interfaces "lte" that the kernel calls wwan. */
const kindNames: Readonly<Record<string, NetworkInterface['kind']>> = {
  loopback: 'loopback',
  ethernet: 'ethernet',
  wifi: 'wifi',
  lte: 'cellular',
  cellular: 'cellular',
};

/**
 * Returns the interface of a link on this device: the interface with that name, otherwise the first interface
 * of that kind that is up and has an address. Throws Failure 'link-missing'.
 */
export function findLinkInterface(link: string, interfaces: readonly NetworkInterface[]): NetworkInterface {
  const usable = interfaces.filter(({ up, address }) => up && address !== '');
  const found =
    usable.find(({ name }) => name === link) ?? usable.find(({ kind }) => kind === kindNames[link]);
  if (found !== undefined) return found;
  const offered = usable.map(({ name, kind }) => `${name} (${kind})`).join(', ') || 'none';
  throw new Failure({
    code: 'link-missing',
    message: `No interface for the link "${link}" is up on this device; it has ${offered}.`,
    remedy: 'Connect the interface, or choose another link for this testbed.',
  });
}

/**
 * Resolves the address to connect to. Throws an Error with the reason if the name resolves to a link-local or
 * metadata address, because the user who set the name must not be able to explore this device's network.
 */
export async function resolveHost(host: string): Promise<{ address: string; family: number }> {
  const found = await lookup(host, { all: true });
  const why = judgeHost(
    host,
    found.map(({ address }) => address),
  );
  if (why) throw new Error(why.reason);
  const [first] = found;
  if (first === undefined) throw new Error(`${host} has no address`);
  return first;
}

interface MeterAnswer {
  status: number;
  /** True if the status code is 2xx. */
  ok: boolean;
  text: string;
}

/** Larger than the response of any meter. */
const maxAnswerBytes = 262_144;

/**
 * Queries a meter once, at the address that was checked, because the name may resolve to another address a
 * moment later. Does not follow redirects. Rejects if there is no response.
 */
export async function fetchMeter(url: URL, { signal }: { signal: AbortSignal }): Promise<MeterAnswer> {
  const found = await resolveHost(hostOfUrl(url));
  // Imported here, because importing node:http loads a lot of code that load workers do not need.
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      signal,
      agent: false,
      lookup: (_host, { all }, answer) =>
        all ? answer(null, [found]) : answer(null, found.address, found.family),
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > maxAnswerBytes) response.destroy(new Error('its answer is too long'));
        else parts.push(part);
      });
      response.on('error', reject);
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        resolve({ status, ok: status >= 200 && status < 300, text: Buffer.concat(parts).toString('utf8') });
      });
    });
    sent.end();
  });
}
