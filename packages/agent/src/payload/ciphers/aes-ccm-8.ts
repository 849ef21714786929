import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import type { Box } from './box.ts';
import { makeFramedCipher } from './framed-cipher.ts';
import { makeNodeAeadBox } from './node-aead-box.ts';

const tagBytes = 8;
/** A nonce of 12 bytes leaves 3 for the length (SP 800-38C section 5.4). */
const maxPlainBytes = 2 ** 24 - 1;

/** AES-CCM of node:crypto with an 8-byte tag, for a key of 16 or 32 bytes. */
export function makeAesCcm8Box(key: Uint8Array): Box {
  const secret = createSecretKey(key);
  const algorithm = key.length === 16 ? 'aes-128-ccm' : 'aes-256-ccm';
  const options = { authTagLength: tagBytes };
  return makeNodeAeadBox({
    makeCipher: (nonce) => createCipheriv(algorithm, secret, nonce, options),
    makeDecipher: (nonce) => createDecipheriv(algorithm, secret, nonce, options),
    tagBytes,
    maxPlainBytes,
  });
}

export const aes128Ccm8 = makeFramedCipher('aes-128-ccm-8', makeAesCcm8Box);
export const aes256Ccm8 = makeFramedCipher('aes-256-ccm-8', makeAesCcm8Box);
