import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../store/private-files.ts';
import { dayMs, type Issuer, makeSerialNumber } from './issuer.ts';
import { ecdsaP256, exportPrivateKey, importPrivateKey } from './key-pairs.ts';
import { makeNameConstraints, readNameConstraints } from './name-constraints.ts';
import * as x509 from './pem-pair.ts';

/** Browsers and agents have to trust every new authority, so it outlives several server certificates. */
const validDays = 5 * 365;
/** From here on every start asks for a rotation. */
const expiryWarningDays = 180;

export interface AuthorityOptions {
  /** `tls` in the data folder. */
  folder: string;
  /** Shown in the certificate list of browsers. */
  hostName: string;
  /** DNS names and addresses that it may sign for, besides private addresses. */
  names: readonly string[];
  nowMs: number;
}

/** The authority that signs the certificate of this server. */
export interface ServerAuthority {
  issuer: Issuer;
  /** False for a name that its name constraints exclude. */
  permits(name: string): boolean;
  /** Reasons to replace it, as sentences for the operator. */
  concerns: string[];
}

/** The certificate is public. The key is private to the server and is never served, printed or backed up in clear. */
export function authorityPaths(folder: string) {
  return {
    certificate: join(folder, 'authority.pem'),
    key: join(folder, 'authority.key'),
    nextCertificate: join(folder, 'next-authority.pem'),
    nextKey: join(folder, 'next-authority.key'),
  };
}

/**
 * Opens the authority, or makes one if there is none, its key is missing or it has expired. A certificate file of an
 * earlier version that also holds the key is split. Throws the system's error if the folder cannot be written.
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
      'The server has a new authority, because the key of the earlier one is missing or it expired: give tls/authority.pem to browsers, command lines and agents again.',
    );
  }
  return made;
}

/** Makes a new authority next to the active one. Returns its certificate. */
export async function writeNextAuthority(options: AuthorityOptions): Promise<string> {
  const { certificate, privateKey } = await makeAuthority(options);
  const paths = authorityPaths(options.folder);
  writePrivateFile(paths.nextKey, privateKey);
  writePrivateFile(paths.nextCertificate, certificate);
  return certificate;
}

/** Puts the next authority in the place of the active one. Throws the system's error if there is no next one. */
export async function activateNextAuthority(folder: string): Promise<Issuer> {
  const paths = authorityPaths(folder);
  renameSync(paths.nextKey, paths.key);
  renameSync(paths.nextCertificate, paths.certificate);
  const active = await readAuthority(paths.certificate, paths.key);
  if (active === null) throw new Error(`${paths.certificate} does not belong to ${paths.key}`);
  return active;
}

/** Saves the key first: a crash in between leaves the combined file, and the next start splits it again. */
function splitCombinedFile(folder: string): void {
  const paths = authorityPaths(folder);
  const text = readText(paths.certificate) ?? '';
  const { certificate, privateKey } = x509.findPemBlocks(text);
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
      'The authority of this server is of an earlier version, whose tls/authority.pem also held the private key: whoever got that file can impersonate this server and any website. Replace the authority with "mqttlab tls rotate", and remove it where it was imported.',
    );
  }
  const leftDays = Math.floor((issuer.certificate.notAfter.getTime() - nowMs) / dayMs);
  if (leftDays < expiryWarningDays) {
    concerns.push(
      `The authority of this server expires in ${leftDays} days. Replace it with "mqttlab tls rotate".`,
    );
  }
  return { issuer, permits: (name) => constraints?.permits(name) ?? true, concerns };
}

async function makeAuthority({ hostName, names, nowMs }: AuthorityOptions) {
  const serialNumber = makeSerialNumber();
  const keys = await crypto.subtle.generateKey(ecdsaP256, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    // The number distinguishes it from the authority that it replaces.
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

/** Returns null if a file is missing, cannot be parsed, or the two do not belong together. */
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
