import { AsconSponge, asconTagBytes } from '../primitives/ascon-sponge.ts';
import { type Box, isSame } from './box.ts';
import { makeFramedCipher } from './framed-cipher.ts';

const longNonceBytes = 16;
/** SP 800-232 section 4.4 allows 2^54 bytes under one key; an MQTT packet ends at 2^28 (MQTT 5 section 1.5.5). */
const maxPlainBytes = 2 ** 28;

/** Ascon-AEAD128. Its nonce has 16 bytes: a shorter one is followed by zeros. */
export function makeAsconAead128Box(key: Uint8Array): Box {
  const sponge = new AsconSponge(key);
  const longNonce = new Uint8Array(longNonceBytes);
  const tag = new Uint8Array(asconTagBytes);
  return {
    tagBytes: asconTagBytes,
    maxPlainBytes,
    seal({ nonce, associated }, plain, out) {
      longNonce.set(nonce);
      sponge.start(longNonce, associated);
      sponge.encrypt(plain, out);
      sponge.finish(tag);
      out.set(tag, plain.length);
    },
    open({ nonce, associated }, sealed, out) {
      const bytes = sealed.length - asconTagBytes;
      const text = sealed.subarray(0, bytes);
      longNonce.set(nonce);
      sponge.start(longNonce, associated);
      sponge.decrypt(text, out);
      sponge.finish(tag);
      if (isSame(tag, sealed.subarray(bytes))) return true;
      out.fill(0, 0, bytes);
      return false;
    },
  };
}

export const asconAead128 = makeFramedCipher('ascon-aead128', makeAsconAead128Box);
