import { xsalsa20 } from '@noble/ciphers/salsa.js';
import { nonceBytes, prefixBytes } from '../nonce-source.ts';
import type { Box } from './box.ts';
import { makeEncryptThenMacBox } from './encrypt-then-mac-box.ts';
import { makeFramedCipher } from './framed-cipher.ts';

const cipherKeyBytes = 32;
const longNonceBytes = 24;
const macBits = 128;
const maxPlainBytes = 2 ** 28;

/**
 * Salsa20/20 takes 8 bytes of nonce, too few for a random prefix and a number. They are extended as in XSalsa20:
 * HSalsa20 turns key and prefix into the key of Salsa20, whose own nonce is the sequence number.
 * BLAKE2b computes with words of 64 bits, which JavaScript lacks: in WebAssembly it is ten times as fast. That is
 * loaded only where it is needed, for it takes memory.
 */
export async function makeSalsa20Blake2bBox(key: Uint8Array): Promise<Box> {
  const { createBLAKE2b } = await import('hash-wasm');
  const cipherKey = new Uint8Array(key.subarray(0, cipherKeyBytes));
  const keyed = await createBLAKE2b(macBits, key.subarray(cipherKeyBytes));
  const longNonce = new Uint8Array(longNonceBytes);
  return makeEncryptThenMacBox({
    applyKeystream(nonce, input, output) {
      longNonce.set(nonce.subarray(0, prefixBytes));
      longNonce.set(nonce.subarray(prefixBytes), longNonceBytes - (nonceBytes - prefixBytes));
      xsalsa20(cipherKey, longNonce, input, output);
    },
    authenticate: (head, sealed) => keyed.init().update(head).update(sealed).digest('binary'),
    maxPlainBytes,
  });
}

export const salsa20Blake2b = makeFramedCipher('salsa20-blake2b', makeSalsa20Blake2bBox);
