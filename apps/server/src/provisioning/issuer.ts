// The library requires this import before it is loaded.

import 'reflect-metadata';
import { randomBytes, type webcrypto } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CertificateKind } from '@mqttlab/shared/domain/plans/trial-spec';
import * as x509 from '@peculiar/x509';

export { x509 };

/** A signer of certificates: a certificate authority or an intermediate. */
export interface Issuer {
  kind: CertificateKind;
  certificatePem: string;
  certificate: x509.X509Certificate;
  privateKey: webcrypto.CryptoKey;
}

export const dayMs = 86_400_000;

export interface CertificateOrder {
  /** File that stores the pair. */
  path: string;
  issuer: Issuer;
  kind: CertificateKind;
  commonName: string;
  nowMs: number;
  validDays: number;
  /** Number of days before its expiry at which the certificate is reissued. */
  renewDays: number;
  /** Key usage, and all extensions that depend on it. */
  extensions: x509.Extension[];
  /** Returns true if a stored certificate still matches the order. */
  suits?: (certificate: x509.X509Certificate) => boolean;
}

/** Returns the stored pair if it is valid and was signed by this issuer, otherwise a new one. */
export async function keepCertificate(order: CertificateOrder): Promise<PemPair> {
  const kept = await readPemPair(order.path);
  if (kept && (await isUsable(kept, order))) return kept;
  return writePemPair(order.path, await issue(order));
}

async function isUsable(pair: PemPair, order: CertificateOrder): Promise<boolean> {
  try {
    const certificate = new x509.X509Certificate(pair.certificate);
    return (
      certificate.notAfter.getTime() - order.nowMs > order.renewDays * dayMs &&
      (order.suits?.(certificate) ?? true) &&
      (await certificate.verify({
        publicKey: order.issuer.certificate.publicKey,
        date: new Date(order.nowMs),
      }))
    );
  } catch {
    return false;
  }
}

async function issue(order: CertificateOrder): Promise<PemPair> {
  const { issuer, nowMs } = order;
  const keys = await makeKeyPair(order.kind);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: makeSerialNumber(),
    subject: `CN=${order.commonName},O=mqttlab`,
    issuer: issuer.certificate.subject,
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + order.validDays * dayMs),
    publicKey: keys.publicKey,
    signingKey: issuer.privateKey,
    signingAlgorithm: keyAlgorithms[issuer.kind],
    extensions: [
      ...order.extensions,
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), privateKey: await exportPrivateKey(keys.privateKey) };
}

/** Returns 127 random bits, positive and without a leading zero (RFC 5280 section 4.1.2.2). */
export function makeSerialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

export const ecdsaP256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

function rsa(modulusLength: number) {
  return {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength,
    publicExponent: new Uint8Array([1, 0, 1]),
  } as const;
}

/** Parameters for creating keys of each kind, and for signing certificates with them. */
const keyAlgorithms = {
  'ECDSA P-256': ecdsaP256,
  'ECDSA P-384': { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  Ed25519: { name: 'Ed25519' },
  'RSA 2048': rsa(2048),
  'RSA 3072': rsa(3072),
  'RSA 4096': rsa(4096),
} as const satisfies Record<CertificateKind, unknown>;

/** Creates a key pair. RSA 4096 takes a second or more, off the main thread. */
async function makeKeyPair(kind: CertificateKind): Promise<webcrypto.CryptoKeyPair> {
  const keys = await crypto.subtle.generateKey(keyAlgorithms[kind], true, ['sign', 'verify']);
  if ('privateKey' in keys) return keys;
  throw new Error(`${kind} has no key pair`);
}

export async function exportPrivateKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** Imports a private key. Rejects if the PEM contains no key of that kind. */
export function importPrivateKey(kind: CertificateKind, pem: string): Promise<webcrypto.CryptoKey> {
  const der = x509.PemConverter.decodeFirst(pem);
  return crypto.subtle.importKey('pkcs8', der, keyAlgorithms[kind], false, ['sign']);
}

/** A certificate and its private key (PKCS #8), both PEM (RFC 7468). */
export interface PemPair {
  certificate: string;
  privateKey: string;
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/;
const keyBlock = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/;

/**
 * Reads a certificate and key from one file, so that they always belong together; null if there is no file or
 * no valid pair.
 */
export async function readPemPair(path: string): Promise<PemPair | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const { certificate, privateKey } = findPemBlocks(text);
  return certificate === null || privateKey === null ? null : { certificate, privateKey };
}

/** Returns the first certificate and the first private key in a text, each with a final newline. */
export function findPemBlocks(text: string): { [Part in keyof PemPair]: string | null } {
  const certificate = certificateBlock.exec(text)?.[0];
  const privateKey = keyBlock.exec(text)?.[0];
  return {
    certificate: certificate === undefined ? null : `${certificate}\n`,
    privateKey: privateKey === undefined ? null : `${privateKey}\n`,
  };
}

/**
 * Replaces the file atomically, readable only by its owner (0600). Resolves with its content. Rejects with
 * the system's error.
 */
export async function writePemPair(path: string, untidy: PemPair): Promise<PemPair> {
  const pair = tidy(untidy);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(4).toString('hex')}.draft`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(pair.certificate + pair.privateKey);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    return pair;
  } catch (error) {
    // The caller needs the original error.
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

function tidy({ certificate, privateKey }: PemPair): PemPair {
  return { certificate: `${certificate.trim()}\n`, privateKey: `${privateKey.trim()}\n` };
}
