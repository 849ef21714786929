import { randomBytes } from 'node:crypto';
import { expansionBytesOf } from '@mqttlab/shared/catalogue/payload-ciphers/payload-cipher';
import type { PayloadCipher } from './payload-cipher.ts';
import { payloadCiphers } from './payload-ciphers.ts';

/** Ids of those that work on this device: a Node may be built with an OpenSSL that lacks one of the primitives. */
export function findOfferedPayloadCiphers(candidates: readonly PayloadCipher[] = payloadCiphers): string[] {
  return candidates.filter(works).map(({ id }) => id);
}

/** One message there and back. */
function works(cipher: PayloadCipher): boolean {
  try {
    const key = randomBytes(cipher.keyBytes);
    const plain = randomBytes(20);
    const topic = Buffer.from('probe');
    const sealed = Buffer.alloc(plain.length + expansionBytesOf(cipher, plain.length));
    const opened = Buffer.alloc(sealed.length);
    const sealedBytes = cipher.make(key).encrypt(plain, sealed, topic);
    const bytes = cipher.make(key).decrypt(sealed.subarray(0, sealedBytes), opened, topic);
    return bytes === plain.length && plain.equals(opened.subarray(0, bytes));
  } catch {
    return false;
  }
}
