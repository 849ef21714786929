import type { PayloadKey } from '@mqttlab/shared/messages/agent';
import { ecdhP256 } from './ciphers/ecdh-p256.ts';
import type { KeyAgreement } from './key-agreement.ts';
import { checkKeySize, type PayloadCipher } from './payload-cipher.ts';

/** By what the catalogue calls them. */
const keyAgreements: Readonly<Record<NonNullable<PayloadCipher['keyAgreement']>, KeyAgreement>> = {
  'ecdh-p256': ecdhP256,
};

/** A key of the other kind than the cipher takes, or none. */
class PayloadKeyError extends Error {
  override readonly name = 'PayloadKeyError';
}

/** What `cipher.make` takes. Throws PayloadKeyError, KeySizeError, KeyAgreementError; none of them shows the key. */
export function readPayloadKey(cipher: PayloadCipher, key: PayloadKey | null): Uint8Array {
  const { id, keyBytes, keyAgreement } = cipher;
  const wanted = keyAgreement === null ? 'secret' : 'agreement';
  if (key?.kind === 'secret' && keyAgreement === null) {
    const secret = Buffer.from(key.secret, 'base64');
    checkKeySize(cipher, secret);
    return secret;
  }
  if (key?.kind === 'agreement' && keyAgreement !== null) {
    return keyAgreements[keyAgreement].agree(key, { cipherId: id, bytes: keyBytes });
  }
  throw new PayloadKeyError(
    `${id} takes a key of the kind "${wanted}", not ${key ? `"${key.kind}"` : 'none'}`,
  );
}
