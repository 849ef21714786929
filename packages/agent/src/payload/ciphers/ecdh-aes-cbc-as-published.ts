import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto';
import { cipherFailures, type PayloadCipherEnd } from './payload-cipher.ts';

const blockBytes = 16;

/**
 * Makes an end of the published scheme. It is measured because it was published; do not use it for anything
 * else. Format: IV (16 bytes), then AES-128-CBC with PKCS #7 padding. Without a MAC, changes are not
 * detected: a bit flipped in the IV flips only that bit of the first block. The topic is not bound, and
 * messages have no number, so replays are accepted. The only check is that the padding is valid.
 */
export function makeAesCbcEnd(key: Uint8Array): PayloadCipherEnd {
  const secret = createSecretKey(key);
  const takeVector = makeRandomVectors();
  return {
    reordered: false,
    encrypt(plain, out) {
      const bytes = plain.length + 2 * blockBytes - (plain.length % blockBytes);
      if (out.length < bytes) return cipherFailures.outputTooSmall;
      const vector = takeVector();
      const cipher = createCipheriv('aes-128-cbc', secret, vector);
      out.set(vector);
      const sealed = cipher.update(plain);
      out.set(sealed, blockBytes);
      out.set(cipher.final(), blockBytes + sealed.length);
      return bytes;
    },
    decrypt(sealed, out) {
      const bytes = sealed.length - blockBytes;
      if (bytes < blockBytes || bytes % blockBytes !== 0) return cipherFailures.tooShort;
      const decipher = createDecipheriv('aes-128-cbc', secret, sealed.subarray(0, blockBytes));
      const padded = decipher.setAutoPadding(false).update(sealed.subarray(blockBytes));
      const plainBytes = plainBytesOf(padded);
      if (plainBytes < 0) return cipherFailures.badPadding;
      if (out.length < plainBytes) return cipherFailures.outputTooSmall;
      out.set(padded.subarray(0, plainBytes));
      return plainBytes;
    },
  };
}

/** Returns the number of bytes before the padding; -1 if the padding is invalid. */
function plainBytesOf(padded: Uint8Array): number {
  const count = padded.at(-1) ?? 0;
  if (count < 1 || count > blockBytes) return -1;
  for (let i = padded.length - count; i < padded.length; i += 1) if (padded[i] !== count) return -1;
  return padded.length - count;
}

const pooledVectors = 256;

/**
 * Makes a source of random initialisation vectors, each returned once and valid for 256 calls. Random bytes
 * need a system call, so the source makes one system call for 256 messages.
 */
export function makeRandomVectors(): () => Uint8Array {
  const pool = Buffer.alloc(pooledVectors * blockBytes);
  let used = pooledVectors;
  return () => {
    if (used === pooledVectors) {
      randomFillSync(pool);
      used = 0;
    }
    used += 1;
    return pool.subarray((used - 1) * blockBytes, used * blockBytes);
  };
}
