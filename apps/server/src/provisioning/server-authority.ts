import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import { writePrivateFile } from '../store/private-files.ts';
import {
  dayMs,
  ecdsaP256,
  exportPrivateKey,
  findPemBlocks,
  type Issuer,
  importPrivateKey,
  makeSerialNumber,
  x509,
} from './issuer.ts';

/**
 * Browsers and agents have to trust every new authority, so an authority outlives several server
 * certificates.
 */
const validDays = 5 * 365;
/** Remaining days below which every start recommends a rotation. */
const expiryWarningDays = 180;

export interface AuthorityOptions {
  /** Path of `tls` in the data folder. */
  folder: string;
  /** Host name shown in browsers' certificate lists. */
  hostName: string;
  /** DNS names and addresses that the authority can sign for, in addition to private addresses. */
  names: readonly string[];
  nowMs: number;
}

/** The certificate authority that signs this server's certificate. */
interface ServerAuthority {
  issuer: Issuer;
  /** Returns false if the authority's name constraints exclude the name. */
  permits(name: string): boolean;
  /** Reasons to replace the authority, as sentences for the operator. */
  concerns: string[];
}

/**
 * Returns the paths of the authority's files. The certificate is public. The key is private to the server and
 * is never served, printed or backed up unencrypted.
 */
export function authorityPaths(folder: string) {
  return {
    certificate: join(folder, 'authority.pem'),
    key: join(folder, 'authority.key'),
    nextCertificate: join(folder, 'next-authority.pem'),
    nextKey: join(folder, 'next-authority.key'),
  };
}

/**
 * Opens the authority, or creates one if there is none, its key is missing or it has expired. A certificate
 * file from an earlier version that also contains the key is split. Rejects with the system's error if the
 * folder cannot be written.
 */
export async function openServerAuthority(options: AuthorityOptions): Promise<ServerAuthority> {
  const { folder, nowMs } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  splitCombinedFile(folder);
  const paths = authorityPaths(folder);
  const kept = await readAuthority(paths.certificate, paths.key);
  if (kept && kept.certificate.notAfter.getTime() > nowMs) return describe(kept, nowMs);
  // A crash between the two renames of activateNextAuthority leaves the new key with the old certificate.
  const next = await readAuthority(paths.nextCertificate, paths.key);
  if (next) {
    renameSync(paths.nextCertificate, paths.certificate);
    return describe(next, nowMs);
  }
  const replaces = readText(paths.certificate) !== null;
  await writeNextAuthority(options);
  const made = describe(await activateNextAuthority(folder), nowMs);
  if (replaces) {
    made.concerns.push(
      'The server has a new certificate authority, because the earlier one expired or its key is missing. Import tls/authority.pem again in browsers, command lines and agents.',
    );
  }
  return made;
}

/** Creates a new authority next to the active one. Resolves with its certificate. */
export async function writeNextAuthority(options: AuthorityOptions): Promise<string> {
  const { certificate, privateKey } = await makeAuthority(options);
  const paths = authorityPaths(options.folder);
  writePrivateFile(paths.nextKey, privateKey);
  writePrivateFile(paths.nextCertificate, certificate);
  return certificate;
}

/** Activates the next authority. Rejects with the system's error if there is none. */
export async function activateNextAuthority(folder: string): Promise<Issuer> {
  const paths = authorityPaths(folder);
  renameSync(paths.nextKey, paths.key);
  renameSync(paths.nextCertificate, paths.certificate);
  const active = await readAuthority(paths.certificate, paths.key);
  if (active === null) throw new Error(`${paths.certificate} does not belong to ${paths.key}`);
  return active;
}

/**
 * Splits a combined file. The key is saved first: after a crash, the combined file is still there, and the
 * next start splits it again.
 */
function splitCombinedFile(folder: string): void {
  const paths = authorityPaths(folder);
  const text = readText(paths.certificate) ?? '';
  const { certificate, privateKey } = findPemBlocks(text);
  if (privateKey === null) return;
  writePrivateFile(paths.key, privateKey);
  if (certificate === null) rmSync(paths.certificate);
  else writePrivateFile(paths.certificate, certificate);
}

function describe(issuer: Issuer, nowMs: number): ServerAuthority {
  const constraints = readNameConstraints(issuer.certificate);
  const concerns: string[] = [];
  if (constraints === null) {
    concerns.push(
      'The certificate authority of this server was created by an earlier version, whose tls/authority.pem also contained the private key: a copy of that file is enough to impersonate this server and any website. Replace the authority with "mqttlab tls rotate", and remove the old one from every browser and system that trusts it.',
    );
  }
  const leftDays = Math.floor((issuer.certificate.notAfter.getTime() - nowMs) / dayMs);
  if (leftDays < expiryWarningDays) {
    concerns.push(
      `The certificate authority of this server expires in ${leftDays} days. Replace it with "mqttlab tls rotate".`,
    );
  }
  return { issuer, permits: (name) => constraints?.permits(name) ?? true, concerns };
}

async function makeAuthority({ hostName, names, nowMs }: AuthorityOptions) {
  const serialNumber = makeSerialNumber();
  const keys = await crypto.subtle.generateKey(ecdsaP256, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    // The number distinguishes the authority from the authority that it replaces.
    name: `CN=mqttlab authority of ${hostName} ${serialNumber.slice(0, 8)},O=mqttlab`,
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + validDays * dayMs),
    signingAlgorithm: ecdsaP256,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      makeNameConstraints(names),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    certificate: `${certificate.toString('pem').trim()}\n`,
    privateKey: `${(await exportPrivateKey(keys.privateKey)).trim()}\n`,
  };
}

/**
 * Reads an authority. Resolves with null if a file is missing, cannot be parsed, or the two files do not
 * belong together.
 */
async function readAuthority(certificatePath: string, keyPath: string): Promise<Issuer | null> {
  const certificatePem = readText(certificatePath);
  const keyPem = readText(keyPath);
  if (certificatePem === null || keyPem === null) return null;
  try {
    const certificate = new x509.X509Certificate(certificatePem);
    if (!new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem))) return null;
    const privateKey = await importPrivateKey('ECDSA P-256', keyPem);
    return { kind: 'ECDSA P-256', certificatePem, certificate, privateKey };
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const nameConstraintsId = '2.5.29.30';

/**
 * Address ranges that no host on the public Internet has: loopback, private, link-local and shared (RFC
 * 6598).
 */
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
 * Returns a critical extension (RFC 5280 section 4.2.1.10) that permits private addresses and the given DNS
 * names and addresses. A public IPv6 address permits its /64, because hosts change the rest of the address.
 */
function makeNameConstraints(names: readonly string[]): x509.Extension {
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

/** Returns a function that tests names and addresses; null if the certificate has no name constraints. */
function readNameConstraints(
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

/** Returns the network address and mask, 8 bytes for IPv4 and 32 for IPv6. */
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
  // The URL parser writes an IPv4 suffix as two groups.
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
