import type { webcrypto } from 'node:crypto';
import type { CertificateKind } from '@mqttlab/shared/domain/plans/trial-spec';
import { exportPrivateKey, keyAlgorithms, makeKeyPair } from './key-pairs.ts';
import * as x509 from './pem-pair.ts';
import { type PemPair, readPemPair, writePemPair } from './pem-pair.ts';

/** A signer of certificates: an authority or an intermediate. */
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
  /** It is reissued this many days before it expires. */
  renewDays: number;
  /** Key usage, and all extensions that depend on it. */
  extensions: x509.Extension[];
  /** True if a stored certificate still matches the order. */
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

/** 127 random bits, positive and without leading zero (RFC 5280 section 4.1.2.2). */
export function makeSerialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
