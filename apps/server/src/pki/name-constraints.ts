import { BlockList, isIP } from 'node:net';
import * as x509 from './pem-pair.ts';

const nameConstraintsId = '2.5.29.30';

/** Addresses that no host on the public Internet has: loopback, private, link-local and shared (RFC 6598) ranges. */
const privateRanges = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
] as const;

interface Range {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

/**
 * A critical extension (RFC 5280 section 4.2.1.10) that permits private addresses and the given DNS names and
 * addresses. A public IPv6 address permits its /64, because hosts change the rest of it.
 */
export function makeNameConstraints(names: readonly string[]): x509.Extension {
  const dnsNames = names.filter((name) => isIP(name) === 0);
  const ranges = privateRanges.map((text) => parseRange(text));
  for (const name of names) {
    const family = isIP(name);
    if (family !== 0 && !isInRanges(name, ranges))
      ranges.push(parseRange(`${name}/${family === 4 ? 32 : 64}`));
  }
  const subtrees = [
    ...dnsNames.map((name) => encode(tags.dnsName, Buffer.from(name, 'ascii'))),
    ...ranges.map((range) => encode(tags.ipAddress, bytesOf(range))),
  ].map((base) => encode(tags.sequence, base));
  const permitted = encode(tags.permitted, Buffer.concat(subtrees));
  return new x509.Extension(nameConstraintsId, true, encode(tags.sequence, permitted));
}

/** Returns a test of names and addresses; null if the certificate has no name constraints. */
export function readNameConstraints(
  certificate: x509.X509Certificate,
): { permits: (name: string) => boolean } | null {
  const extension = certificate.getExtension(nameConstraintsId);
  if (extension === null) return null;
  const dnsNames: string[] = [];
  const ranges: Range[] = [];
  const [constraints] = decode(Buffer.from(extension.value));
  const permitted = decode(constraints?.body).find(({ tag }) => tag === tags.permitted);
  for (const subtree of decode(permitted?.body)) {
    const [base] = decode(subtree.body);
    if (base?.tag === tags.dnsName) dnsNames.push(base.body.toString('ascii').toLowerCase());
    if (base?.tag === tags.ipAddress) ranges.push(rangeOf(base.body));
  }
  const permits = (name: string): boolean =>
    isIP(name) === 0
      ? dnsNames.some((parent) => name.toLowerCase() === parent || name.toLowerCase().endsWith(`.${parent}`))
      : isInRanges(name, ranges);
  return { permits };
}

function isInRanges(address: string, ranges: readonly Range[]): boolean {
  const list = new BlockList();
  for (const range of ranges) list.addSubnet(range.address, range.prefix, range.family);
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

function parseRange(text: string): Range {
  const [address = '', prefix] = text.split('/');
  return { address, prefix: Number(prefix), family: isIP(address) === 4 ? 'ipv4' : 'ipv6' };
}

/** Network address and mask, 8 bytes for IPv4 and 32 for IPv6. */
function bytesOf({ address, prefix, family }: Range): Buffer {
  const whole = family === 'ipv4' ? Buffer.from(address.split('.').map(Number)) : bytesOfIpv6(address);
  const mask = Buffer.from(
    Array.from({ length: whole.length }, (_, index) => {
      const bits = Math.min(8, Math.max(0, prefix - index * 8));
      return 0xff & ~(0xff >> bits);
    }),
  );
  return Buffer.concat([whole.map((byte, index) => byte & (mask[index] ?? 0)), mask]);
}

function rangeOf(bytes: Buffer): Range {
  const half = bytes.length / 2;
  const prefix = [...bytes.subarray(half)].reduce(
    (bits, byte) => bits + byte.toString(2).replaceAll('0', '').length,
    0,
  );
  const network = bytes.subarray(0, half);
  if (half === 4) return { address: [...network].join('.'), prefix, family: 'ipv4' };
  const groups = Array.from({ length: 8 }, (_, index) => network.readUInt16BE(index * 2).toString(16));
  return { address: groups.join(':'), prefix, family: 'ipv6' };
}

function bytesOfIpv6(address: string): Buffer {
  // The URL parser writes an IPv4 tail as two groups.
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const groupsOf = (text: string | undefined) => (text ? text.split(':') : []);
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...first, ...zeros, ...last].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  }
  return bytes;
}

/** DER tags: SEQUENCE, permittedSubtrees [0], and the GeneralNames dNSName [2] and iPAddress [7]. */
const tags = { sequence: 0x30, permitted: 0xa0, dnsName: 0x82, ipAddress: 0x87 } as const;

function encode(tag: number, body: Buffer): Buffer {
  const size = body.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

function decode(bytes: Buffer = Buffer.alloc(0)): { tag: number; body: Buffer }[] {
  const found: { tag: number; body: Buffer }[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const tag = bytes.readUInt8(at);
    const first = bytes.readUInt8(at + 1);
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const size = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    const start = at + 2 + lengthBytes;
    found.push({ tag, body: bytes.subarray(start, start + size) });
    at = start + size;
  }
  return found;
}
