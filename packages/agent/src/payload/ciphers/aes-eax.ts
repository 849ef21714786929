import { createCipheriv, createSecretKey } from 'node:crypto';
import { makeOmac } from '../primitives/cmac.ts';
import { type Box, isSame } from './box.ts';
import { makeFramedCipher } from './framed-cipher.ts';

const tagBytes = 16;
/** EAX has no limit of its own; an MQTT packet ends at 2^28 (MQTT 5 section 1.5.5). */
const maxPlainBytes = 2 ** 28;

/** AES-EAX for a key of 16 or 32 bytes: CTR and CBC of node:crypto, put together here as no kept library does. */
export function makeAesEaxBox(key: Uint8Array): Box {
  const secret = createSecretKey(key);
  const algorithm = key.length === 16 ? 'aes-128-ctr' : 'aes-256-ctr';
  const omac = makeOmac(key);
  const tag = new Uint8Array(tagBytes);

  const finishTag = (nonceMac: Uint8Array, associated: Uint8Array, sealed: Uint8Array) => {
    const headerMac = omac(1, associated);
    const textMac = omac(2, sealed);
    for (let i = 0; i < tagBytes; i += 1) tag[i] = nonceMac[i]! ^ headerMac[i]! ^ textMac[i]!;
    return tag;
  };

  return {
    tagBytes,
    maxPlainBytes,
    seal({ nonce, associated }, plain, out) {
      const nonceMac = omac(0, nonce);
      const sealed = createCipheriv(algorithm, secret, nonceMac).update(plain);
      out.set(sealed);
      out.set(finishTag(nonceMac, associated, sealed), plain.length);
    },
    open({ nonce, associated }, sealed, out) {
      const bytes = sealed.length - tagBytes;
      const nonceMac = omac(0, nonce);
      const text = sealed.subarray(0, bytes);
      if (!isSame(finishTag(nonceMac, associated, text), sealed.subarray(bytes))) return false;
      // CTR decrypts as it encrypts.
      out.set(createCipheriv(algorithm, secret, nonceMac).update(text));
      return true;
    },
  };
}

export const aes128Eax = makeFramedCipher('aes-128-eax', makeAesEaxBox);
export const aes256Eax = makeFramedCipher('aes-256-eax', makeAesEaxBox);
