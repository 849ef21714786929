import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Key with which a server signs its bundles (Ed25519, RFC 8032). */
export interface BundleKey {
  publicPem: string;
  sign(bytes: Uint8Array): Uint8Array;
}

/** The key in this file, made on the first call and readable by its owner only. */
export function openBundleKey(path: string): BundleKey {
  const key = existsSync(path) ? createPrivateKey(readFileSync(path)) : makeKey(path);
  return {
    publicPem: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
    sign: (bytes) => sign(null, bytes, key),
  };
}

function makeKey(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ed25519');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return privateKey;
}

/** False if the signature is from another key, or the key is invalid. */
export function isSignedBy(publicPem: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(null, bytes, createPublicKey(publicPem), signature);
  } catch {
    return false;
  }
}

/** "SHA256:abcd…", the fingerprint format of SSH, of the key's DER form. Throws if the PEM contains no key. */
export function fingerprintOf(publicPem: string): string {
  const der = createPublicKey(publicPem).export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('base64').replace(/=+$/, '')}`;
}
