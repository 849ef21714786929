import type { Box } from './box.ts';
import { makeFramedEnd } from './framed-end.ts';
import { framedNonceRule, nonceBytes } from './nonce-source.ts';
import { checkKeySize, type PayloadCipher } from './payload-cipher.ts';

export interface FramedCipherParts
  extends Pick<PayloadCipher, 'id' | 'label' | 'keyBytes' | 'protects' | 'source' | 'implementation'> {
  keyAgreement?: PayloadCipher['keyAgreement'];
  tagBytes: number;
  /** The key has `keyBytes`. */
  makeBox(key: Uint8Array): Box;
}

/** A payload cipher around a box: nonces, associated data and replay window as in framed-end.ts. */
export function makeFramedCipher(parts: FramedCipherParts): PayloadCipher {
  const { tagBytes, makeBox, keyAgreement = null, ...definition } = parts;
  return {
    ...definition,
    keyAgreement,
    nonceRule: framedNonceRule,
    expansionBytes: () => nonceBytes + tagBytes,
    make(key) {
      checkKeySize(definition, key);
      return makeFramedEnd(makeBox(key));
    },
  };
}
