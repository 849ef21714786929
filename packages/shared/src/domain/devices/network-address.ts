/** Kind of an IP address, which determines what can be sent there. */
export type AddressKind = 'link-local' | 'no-machine' | 'private' | 'public';

type Subnet = readonly [prefix: readonly number[], bits: number];

/** The first matching entry applies. */
const kinds: readonly (readonly [AddressKind, readonly Subnet[]])[] = [
  [
    // Cloud metadata services, which return credentials to any internal client.
    'link-local',
    subnets(
      '169.254.0.0/16',
      'fe80::/10',
      // The same addresses through NAT64 and 6to4.
      '64:ff9b::a9fe:0/112',
      '2002:a9fe::/32',
      // Metadata services at other addresses: AWS over IPv6, Alibaba Cloud.
      'fd00:ec2::254/128',
      '100.100.100.200/32',
    ),
  ],
  ['no-machine', subnets('0.0.0.0/8', '224.0.0.0/3', '::/128', 'ff00::/8')],
  ['private', subnets('127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7')],
];

/** Returns the kind of a resolved address, with or without a zone; invalid addresses are 'no-machine'. */
export function kindOfAddress(address: string): AddressKind {
  const bytes = parseAddress(address);
  if (bytes === null) return 'no-machine';
  return kinds.find(([, list]) => list.some((subnet) => isIn(bytes, subnet)))?.[0] ?? 'public';
}

const loopback = subnets('127.0.0.0/8', '::1/128');

/** True for loopback addresses (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3). */
export function isLoopbackAddress(address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== null && loopback.some((subnet) => isIn(bytes, subnet));
}

/** True for IPv4 and IPv6 addresses. */
export function isAddress(text: string): boolean {
  return parseAddress(text) !== null;
}

/** Returns why connections to a host with these addresses are refused; null if they are allowed. */
export function judgeHost(
  host: string,
  addresses: readonly string[],
): { reason: string; remedy: string } | null {
  const named = (address: string) => (address === host ? host : `${host} (${address})`);
  const metadata = addresses.find((address) => kindOfAddress(address) === 'link-local');
  if (metadata !== undefined) {
    return {
      reason: `${named(metadata)} is a link-local or metadata address, which mqttlab does not connect to`,
      remedy: 'Use the machine’s network address.',
    };
  }
  const unusable = addresses.find((address) => kindOfAddress(address) === 'no-machine');
  if (unusable === undefined) return null;
  return {
    reason: `${named(unusable)} is not the address of a single machine`,
    remedy: 'Use 127.0.0.1 for this machine, or the address of another machine.',
  };
}

/** Returns the host of a URL without IPv6 brackets. */
export function hostOfUrl({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function subnets(...texts: string[]): Subnet[] {
  return texts.map((text) => {
    const [address = '', bits] = text.split('/');
    return [parseAddress(address) ?? [], Number(bits)];
  });
}

function isIn(bytes: readonly number[], [prefix, bits]: Subnet): boolean {
  if (bytes.length !== prefix.length) return false;
  return prefix.every((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    const mask = 0xff & (0xff << (8 - kept));
    return (byte & mask) === ((bytes[index] ?? 0) & mask);
  });
}

/** Returns 4 or 16 bytes; an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) has 4. */
function parseAddress(text: string): number[] | null {
  const [plain = ''] = text.split('%');
  if (!plain.includes(':')) return parseIpv4(plain);
  const bytes = parseIpv6(plain);
  const isMapped = bytes?.slice(0, 12).every((byte, index) => byte === (index < 10 ? 0 : 0xff));
  return bytes && isMapped ? bytes.slice(12) : bytes;
}

function parseIpv4(text: string): number[] | null {
  const bytes = text.split('.').map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : 256));
  return bytes.length === 4 && bytes.every((byte) => byte < 256) ? bytes : null;
}

function parseIpv6(text: string): number[] | null {
  const sides = text.split('::');
  if (sides.length > 2) return null;
  const [before, after] = sides.map(parseGroups);
  if (!before || after === null) return null;
  if (after === undefined) return before.length === 16 ? before : null;
  const zeros = 16 - before.length - after.length;
  return zeros < 0 ? null : [...before, ...new Array<number>(zeros).fill(0), ...after];
}

function parseGroups(text: string): number[] | null {
  if (text === '') return [];
  const bytes: number[] = [];
  for (const group of text.split(':')) {
    if (group.includes('.')) bytes.push(...(parseIpv4(group) ?? [Number.NaN]));
    else if (/^[\da-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else return null;
  }
  return bytes.some(Number.isNaN) ? null : bytes;
}
