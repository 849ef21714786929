import type { webcrypto } from 'node:crypto';
import { join } from 'node:path';
import { type PemPair, readPemPair, writePemPair } from './pem-pair.ts';
import * as x509 from './x509.ts';

export interface Authority {
  /** PEM of the self-signed certificate that clients trust. */
  certificatePem: string;
  certificate: x509.X509Certificate;
  privateKey: webcrypto.CryptoKey;
}

export const dayMs = 86_400_000;
const validDays = 3650;
/** Younger certificates must never outlive the one that signed them. */
const renewDays = 400;

export const ecdsaP256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export interface AuthorityOptions {
  /** Folder of this testbed. */
  folder: string;
  testbedId: string;
  nowMs: number;
}

/** The authority of a testbed (ECDSA P-256), made on first use and replaced a year before it ends. */
export async function openAuthority(options: AuthorityOptions): Promise<Authority> {
  const path = join(options.folder, 'authority.pem');
  const kept = await readPemPair(path);
  const usable = kept && (await parseAuthority(kept));
  if (usable && usable.certificate.notAfter.getTime() - options.nowMs > renewDays * dayMs) return usable;
  const made = await makeAuthority(options);
  const authority = await parseAuthority(await writePemPair(path, made));
  if (authority === null) throw new Error('The authority that was just made cannot be read');
  return authority;
}

async function makeAuthority({ testbedId, nowMs }: AuthorityOptions): Promise<PemPair> {
  const keys = await crypto.subtle.generateKey(ecdsaP256, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: makeSerialNumber(),
    name: `CN=mqttlab authority of ${testbedId},O=mqttlab`,
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + validDays * dayMs),
    signingAlgorithm: ecdsaP256,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), privateKey: await exportPrivateKey(keys.privateKey) };
}

async function parseAuthority(pair: PemPair): Promise<Authority | null> {
  try {
    const certificate = new x509.X509Certificate(pair.certificate);
    const der = x509.PemConverter.decodeFirst(pair.privateKey);
    const privateKey = await crypto.subtle.importKey('pkcs8', der, ecdsaP256, false, ['sign']);
    return { certificatePem: pair.certificate, certificate, privateKey };
  } catch {
    return null;
  }
}

export async function exportPrivateKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** 127 random bits, positive and without leading zero (RFC 5280 section 4.1.2.2). */
export function makeSerialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
