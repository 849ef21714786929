import type { CipherCCM, DecipherCCM } from 'node:crypto';
import type { Box } from './box.ts';

/** The AEAD interface of node:crypto, which its types spread over three classes. */
export interface NodeAead {
  makeCipher(nonce: Uint8Array): Pick<CipherCCM, 'setAAD' | 'update' | 'final' | 'getAuthTag'>;
  makeDecipher(nonce: Uint8Array): Pick<DecipherCCM, 'setAAD' | 'update' | 'final' | 'setAuthTag'>;
  tagBytes: number;
  maxPlainBytes: number;
}

/** An authenticated cipher of OpenSSL. It needs a new object for every message: that is how node:crypto is made. */
export function makeNodeAeadBox(aead: NodeAead): Box {
  const { tagBytes, maxPlainBytes } = aead;
  // CCM must know the length before it begins; the others ignore it.
  const options = { plaintextLength: 0 };
  return {
    tagBytes,
    maxPlainBytes,
    seal({ nonce, associated }, plain, out) {
      const cipher = aead.makeCipher(nonce);
      options.plaintextLength = plain.length;
      cipher.setAAD(associated, options);
      out.set(cipher.update(plain));
      cipher.final();
      out.set(cipher.getAuthTag(), plain.length);
    },
    open({ nonce, associated }, sealed, out) {
      const bytes = sealed.length - tagBytes;
      const decipher = aead.makeDecipher(nonce);
      options.plaintextLength = bytes;
      try {
        decipher.setAuthTag(sealed.subarray(bytes));
        decipher.setAAD(associated, options);
        const plain = decipher.update(sealed.subarray(0, bytes));
        decipher.final();
        out.set(plain);
        return true;
      } catch {
        // node:crypto tells a wrong tag by throwing; nothing else can go wrong with sizes that were checked.
        return false;
      }
    },
  };
}
