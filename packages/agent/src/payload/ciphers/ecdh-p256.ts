import { createPrivateKey, createPublicKey, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';
import type { KeyAgreement } from '../key-agreement.ts';

/** Keys that do not fit: not PEM, not on P-256. */
export class KeyAgreementError extends Error {
  override readonly name = 'KeyAgreementError';
}

const curve = 'prime256v1';

/**
 * ECDH on P-256, which is secp256r1 (NIST SP 800-56A section 5.7.1.2), then HKDF-SHA-256 (RFC 5869) without salt.
 * The public keys are given, not certified: who holds them is for others to make sure of.
 */
export const ecdhP256: KeyAgreement = {
  agree({ ownPrivateKey, peerPublicKey }, { cipherId, bytes }) {
    const privateKey = readKey('private key', () => createPrivateKey(ownPrivateKey));
    const publicKey = readKey('public key', () => createPublicKey(peerPublicKey));
    const secret = diffieHellman({ privateKey, publicKey });
    return new Uint8Array(hkdfSync('sha256', secret, Buffer.alloc(0), `mqttlab ${cipherId}`, bytes));
  },
};

function readKey(what: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (error) {
    throw new KeyAgreementError(
      `the ${what} is not readable: ${error instanceof Error ? error.message : error}`,
    );
  }
  const found = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? 'unknown';
  if (found !== curve) throw new KeyAgreementError(`the ${what} is of ${found}, not of P-256`);
  return key;
}
