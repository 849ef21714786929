import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import type { Box } from './box.ts';
import { makeFramedCipher } from './framed-cipher.ts';
import { makeNodeAeadBox } from './node-aead-box.ts';

const tagBytes = 16;
/** RFC 8439 section 2.8 allows 2^38 - 64; an MQTT packet ends at 2^28 (MQTT 5 section 1.5.5). */
const maxPlainBytes = 2 ** 28;

/** ChaCha20-Poly1305 of node:crypto for a key of 32 bytes. */
export function makeChaCha20Poly1305Box(key: Uint8Array): Box {
  const secret = createSecretKey(key);
  const algorithm = 'chacha20-poly1305';
  const options = { authTagLength: tagBytes };
  return makeNodeAeadBox({
    makeCipher: (nonce) => createCipheriv(algorithm, secret, nonce, options),
    makeDecipher: (nonce) => createDecipheriv(algorithm, secret, nonce, options),
    tagBytes,
    maxPlainBytes,
  });
}

export const chaCha20Poly1305 = makeFramedCipher('chacha20-poly1305', makeChaCha20Poly1305Box);
