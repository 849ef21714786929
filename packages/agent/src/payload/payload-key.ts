import { createPrivateKey, createPublicKey, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import type { PayloadKey } from '@mqttlab/shared/messages/agent';
import { checkKeySize, type PayloadCipher } from './ciphers/payload-cipher.ts';

const curve = 'prime256v1';

/**
 * `bytes` of key material, the same at both ends for the same cipher, never the same for two ciphers: ECDH on P-256,
 * which is secp256r1 (NIST SP 800-56A section 5.7.1.2), then HKDF-SHA-256 (RFC 5869) without salt. Keys in PEM
 * (PKCS #8 and SubjectPublicKeyInfo); the public ones are given, not certified: who holds them is for others to make
 * sure of. Throws an Error if a key is not PEM or not on P-256.
 */
export function agreeOnKey(
  { ownPrivateKey, peerPublicKey }: { ownPrivateKey: string; peerPublicKey: string },
  { cipherId, bytes }: { cipherId: string; bytes: number },
): Uint8Array {
  const privateKey = readKey('private key', () => createPrivateKey(ownPrivateKey));
  const publicKey = readKey('public key', () => createPublicKey(peerPublicKey));
  const secret = diffieHellman({ privateKey, publicKey });
  return new Uint8Array(hkdfSync('sha256', secret, Buffer.alloc(0), `mqttlab ${cipherId}`, bytes));
}

function readKey(what: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (error) {
    throw new Error(`the ${what} is not readable: ${reasonOf(error)}`);
  }
  const found = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? 'unknown';
  if (found !== curve) throw new Error(`the ${what} is of ${found}, not of P-256`);
  return key;
}

/** Returns what `cipher.prepare` takes. Throws if the key does not fit the cipher; no error shows the key. */
export function readPayloadKey(cipher: PayloadCipher, key: PayloadKey | null): Uint8Array {
  const { id, keyBytes, keyAgreement } = cipher;
  const wanted = keyAgreement === null ? 'secret' : 'agreement';
  if (key?.kind === 'secret' && keyAgreement === null) {
    const secret = Buffer.from(key.secret, 'base64');
    checkKeySize(cipher, secret);
    return secret;
  }
  if (key?.kind === 'agreement' && keyAgreement !== null) {
    return agreeOnKey(key, { cipherId: id, bytes: keyBytes });
  }
  throw new TypeError(`${id} takes a key of the kind "${wanted}", not ${key ? `"${key.kind}"` : 'none'}`);
}
