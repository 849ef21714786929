import { randomBytes } from 'node:crypto';
import {
  expansionBytesOf,
  type PayloadCipherId,
  payloadCipherDefinitions,
} from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { makeAesCcm8Box, makeAesGcmBox, makeChaCha20Poly1305Box } from './ciphers/aead.ts';
import { makeAesEaxBox } from './ciphers/aes-eax.ts';
import { makeAsconAead128Box } from './ciphers/ascon-aead128.ts';
import { makeAesCbcEnd } from './ciphers/ecdh-aes-cbc-as-published.ts';
import {
  makeAesCtrHmacBox,
  makeSalsa20Blake2bBox,
  makeSimonHmacBox,
  makeSpeckHmacBox,
} from './ciphers/encrypt-then-mac.ts';
import { type Box, checkKeySize, makeFramedEnd, type PayloadCipher } from './ciphers/payload-cipher.ts';

type MakeEnds = (key: Uint8Array) => ReturnType<PayloadCipher['prepare']>;

const framed =
  (makeBox: (key: Uint8Array) => Box | Promise<Box>): MakeEnds =>
  async (key) => {
    const box = await makeBox(key);
    return () => makeFramedEnd(box);
  };

const makeEnds: Readonly<Record<PayloadCipherId, MakeEnds>> = {
  'aes-128-gcm': framed(makeAesGcmBox),
  'aes-256-gcm': framed(makeAesGcmBox),
  'chacha20-poly1305': framed(makeChaCha20Poly1305Box),
  'aes-128-ccm-8': framed(makeAesCcm8Box),
  'aes-256-ccm-8': framed(makeAesCcm8Box),
  'aes-128-eax': framed(makeAesEaxBox),
  'aes-256-eax': framed(makeAesEaxBox),
  'aes-128-ctr-hmac-sha256': framed(makeAesCtrHmacBox),
  'aes-256-ctr-hmac-sha256': framed(makeAesCtrHmacBox),
  'salsa20-blake2b': framed(makeSalsa20Blake2bBox),
  'ascon-aead128': framed(makeAsconAead128Box),
  'simon-128-128-ctr-hmac-sha256': framed(makeSimonHmacBox),
  'speck-128-128-ctr-hmac-sha256': framed(makeSpeckHmacBox),
  'simon-128-256-ctr-hmac-sha256': framed(makeSimonHmacBox),
  'speck-128-256-ctr-hmac-sha256': framed(makeSpeckHmacBox),
  'ecdh-p256-aes-128-cbc-as-published': async (key) => {
    const end = makeAesCbcEnd(key);
    return () => end;
  },
  // The authenticated scheme for a fair comparison with the published one, which has no MAC.
  'ecdh-p256-aes-128-gcm': framed(makeAesGcmBox),
};

/** Every payload cipher, in the order in which the wizard shows them. */
export const payloadCiphers: readonly PayloadCipher[] = payloadCipherDefinitions.map((definition) => ({
  ...definition,
  async prepare(key) {
    checkKeySize(definition, key);
    return await makeEnds[definition.id](key);
  },
}));

export function findPayloadCipher(id: string): PayloadCipher | undefined {
  return payloadCiphers.find((cipher) => cipher.id === id);
}

/**
 * Returns the ids of the ciphers that work on this device, because the OpenSSL of a Node build may lack one
 * of the primitives.
 */
export async function findOfferedPayloadCiphers(
  candidates: readonly PayloadCipher[] = payloadCiphers,
): Promise<string[]> {
  const working = await Promise.all(candidates.map(works));
  return candidates.filter((_cipher, index) => working[index]).map(({ id }) => id);
}

/** Encrypts and decrypts one message to test a cipher. */
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
