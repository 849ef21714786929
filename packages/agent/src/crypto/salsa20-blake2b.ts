import { xsalsa20 } from '@noble/ciphers/salsa.js';
import { blake2b } from '@noble/hashes/blake2.js';
import type { Box } from './box.ts';
import { makeEncryptThenMacBox } from './encrypt-then-mac-box.ts';
import { makeFramedCipher } from './framed-cipher.ts';
import { nonceBytes, prefixBytes } from './nonce-source.ts';

const cipherKeyBytes = 32;
const longNonceBytes = 24;
const mostPlainBytes = 2 ** 28;

/**
 * Salsa20/20 takes 8 bytes of nonce, too few for a random prefix and a number. They are extended as in XSalsa20:
 * HSalsa20 turns key and prefix into the key of Salsa20, whose own nonce is the sequence number.
 */
export function makeSalsa20Blake2bBox(key: Uint8Array): Box {
  const cipherKey = key.slice(0, cipherKeyBytes);
  const keyed = blake2b.create({ key: key.subarray(cipherKeyBytes), dkLen: 16 });
  const longNonce = new Uint8Array(longNonceBytes);
  return makeEncryptThenMacBox({
    applyKeystream(nonce, input, output) {
      longNonce.set(nonce.subarray(0, prefixBytes));
      longNonce.set(nonce.subarray(prefixBytes), longNonceBytes - (nonceBytes - prefixBytes));
      xsalsa20(cipherKey, longNonce, input, output);
    },
    authenticate: (head, sealed) => keyed.clone().update(head).update(sealed).digest(),
    mostPlainBytes,
  });
}

export const salsa20Blake2b = makeFramedCipher('salsa20-blake2b', makeSalsa20Blake2bBox);
