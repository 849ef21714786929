import { randomBytes } from 'node:crypto';
import { expansionBytesOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import type { PayloadCipher } from './payload-cipher.ts';
import { payloadCiphers } from './payload-ciphers.ts';

/** Ids of those that work on this device: a Node may be built with an OpenSSL that lacks one of the primitives. */
export async function findOfferedPayloadCiphers(
  candidates: readonly PayloadCipher[] = payloadCiphers,
): Promise<string[]> {
  const working = await Promise.all(candidates.map(works));
  return candidates.filter((_cipher, index) => working[index]).map(({ id }) => id);
}

/** One message there and back. */
async function works(cipher: PayloadCipher): Promise<boolean> {
  try {
    const makeEnd = await cipher.prepare(randomBytes(cipher.keyBytes));
    const plain = randomBytes(20);
    const topic = Buffer.from('probe');
    const sealed = Buffer.alloc(plain.length + expansionBytesOf(cipher, plain.length));
    const opened = Buffer.alloc(sealed.length);
    const sealedBytes = makeEnd().encrypt(plain, sealed, topic);
    const bytes = makeEnd().decrypt(sealed.subarray(0, sealedBytes), opened, topic);
    return bytes === plain.length && plain.equals(opened.subarray(0, bytes));
  } catch {
    return false;
  }
}
