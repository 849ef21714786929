import {
  type CipherCCM,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type DecipherCCM,
} from 'node:crypto';
import { type Box, maxPacketBytes } from './payload-cipher.ts';

/** The AEAD interface of node:crypto, whose types are split into three classes. */
interface NodeAead {
  makeCipher(nonce: Uint8Array): Pick<CipherCCM, 'setAAD' | 'update' | 'final' | 'getAuthTag'>;
  makeDecipher(nonce: Uint8Array): Pick<DecipherCCM, 'setAAD' | 'update' | 'final' | 'setAuthTag'>;
  tagBytes: number;
  maxPlainBytes: number;
}

const longTag = { authTagLength: 16 };
const shortTag = { authTagLength: 8 };

/**
 * Makes a box for AES-GCM with a key of 16 or 32 bytes. SP 800-38D section 5.2.1.1 allows 2^36 - 32 bytes.
 */
export function makeAesGcmBox(key: Uint8Array): Box {
  const secret = createSecretKey(key);
  const algorithm = key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm';
  return makeNodeAeadBox({
    makeCipher: (nonce) => createCipheriv(algorithm, secret, nonce, longTag),
    makeDecipher: (nonce) => createDecipheriv(algorithm, secret, nonce, longTag),
    tagBytes: longTag.authTagLength,
    maxPlainBytes: maxPacketBytes,
  });
}

/** Makes a box for ChaCha20-Poly1305 with a key of 32 bytes. RFC 8439 section 2.8 allows 2^38 - 64 bytes. */
export function makeChaCha20Poly1305Box(key: Uint8Array): Box {
  const secret = createSecretKey(key);
  const algorithm = 'chacha20-poly1305';
  return makeNodeAeadBox({
    makeCipher: (nonce) => createCipheriv(algorithm, secret, nonce, longTag),
    makeDecipher: (nonce) => createDecipheriv(algorithm, secret, nonce, longTag),
    tagBytes: longTag.authTagLength,
    maxPlainBytes: maxPacketBytes,
  });
}

/** Makes a box for AES-CCM with an 8-byte tag and a key of 16 or 32 bytes. */
export function makeAesCcm8Box(key: Uint8Array): Box {
  const secret = createSecretKey(key);
  const algorithm = key.length === 16 ? 'aes-128-ccm' : 'aes-256-ccm';
  return makeNodeAeadBox({
    makeCipher: (nonce) => createCipheriv(algorithm, secret, nonce, shortTag),
    makeDecipher: (nonce) => createDecipheriv(algorithm, secret, nonce, shortTag),
    tagBytes: shortTag.authTagLength,
    // With a nonce of 12 bytes, 3 bytes are left for the length (SP 800-38C section 5.4).
    maxPlainBytes: 2 ** 24 - 1,
  });
}

/**
 * Makes a box for an authenticated cipher of OpenSSL. The design of node:crypto requires a new object for
 * every message.
 */
function makeNodeAeadBox({ makeCipher, makeDecipher, tagBytes, maxPlainBytes }: NodeAead): Box {
  // CCM needs the length before it starts; the other ciphers ignore it.
  const options = { plaintextLength: 0 };
  return {
    tagBytes,
    maxPlainBytes,
    seal({ nonce, associated }, plain, out) {
      const cipher = makeCipher(nonce);
      options.plaintextLength = plain.length;
      cipher.setAAD(associated, options);
      out.set(cipher.update(plain));
      cipher.final();
      out.set(cipher.getAuthTag(), plain.length);
    },
    open({ nonce, associated }, sealed, out) {
      const bytes = sealed.length - tagBytes;
      const decipher = makeDecipher(nonce);
      options.plaintextLength = bytes;
      try {
        decipher.setAuthTag(sealed.subarray(bytes));
        decipher.setAAD(associated, options);
        const plain = decipher.update(sealed.subarray(0, bytes));
        decipher.final();
        out.set(plain);
        return true;
      } catch {
        // node:crypto throws on an invalid tag; no other error is possible with checked sizes.
        return false;
      }
    },
  };
}
