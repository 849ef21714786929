import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import type { Box } from './box.ts';
import { makeFramedCipher } from './framed-cipher.ts';
import { makeNodeAeadBox } from './node-aead-box.ts';

const tagBytes = 16;
/** SP 800-38D section 5.2.1.1 allows 2^36 - 32; an MQTT packet ends at 2^28 (MQTT 5 section 1.5.5). */
const maxPlainBytes = 2 ** 28;

/** AES-GCM of node:crypto for a key of 16 or 32 bytes. */
export function makeAesGcmBox(key: Uint8Array): Box {
  const secret = createSecretKey(key);
  const algorithm = key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm';
  const options = { authTagLength: tagBytes };
  return makeNodeAeadBox({
    makeCipher: (nonce) => createCipheriv(algorithm, secret, nonce, options),
    makeDecipher: (nonce) => createDecipheriv(algorithm, secret, nonce, options),
    tagBytes,
    maxPlainBytes,
  });
}

export const aes128Gcm = makeFramedCipher('aes-128-gcm', makeAesGcmBox);
export const aes256Gcm = makeFramedCipher('aes-256-gcm', makeAesGcmBox);
