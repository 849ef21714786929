import type { webcrypto } from 'node:crypto';
import type { CertificateKind } from '@mqttlab/shared/domain/plans/trial-spec';
import * as x509 from './pem-pair.ts';

export const ecdsaP256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

function rsa(modulusLength: number) {
  return {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength,
    publicExponent: new Uint8Array([1, 0, 1]),
  } as const;
}

/** How to create keys of each kind, and how they sign certificates. */
export const keyAlgorithms = {
  'ECDSA P-256': ecdsaP256,
  'ECDSA P-384': { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  Ed25519: { name: 'Ed25519' },
  'RSA 2048': rsa(2048),
  'RSA 3072': rsa(3072),
  'RSA 4096': rsa(4096),
} as const satisfies Record<CertificateKind, unknown>;

/** RSA 4096 takes a second or more, off the main thread. */
export async function makeKeyPair(kind: CertificateKind): Promise<webcrypto.CryptoKeyPair> {
  const keys = await crypto.subtle.generateKey(keyAlgorithms[kind], true, ['sign', 'verify']);
  if ('privateKey' in keys) return keys;
  throw new Error(`${kind} has no key pair`);
}

export async function exportPrivateKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** Rejects if the PEM has no key of that kind. */
export function importPrivateKey(kind: CertificateKind, pem: string): Promise<webcrypto.CryptoKey> {
  const der = x509.PemConverter.decodeFirst(pem);
  return crypto.subtle.importKey('pkcs8', der, keyAlgorithms[kind], false, ['sign']);
}
