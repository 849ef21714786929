import { aes128Ccm8, aes256Ccm8 } from './ciphers/aes-ccm-8.ts';
import { aes128CtrHmacSha256 } from './ciphers/aes-ctr-hmac.ts';
import { aes128Eax, aes256Eax } from './ciphers/aes-eax.ts';
import { aes128Gcm, aes256Gcm } from './ciphers/aes-gcm.ts';
import { asconAead128 } from './ciphers/ascon-aead128.ts';
import { chaCha20Poly1305 } from './ciphers/chacha20-poly1305.ts';
import { ecdhP256Aes128CbcAsPublished } from './ciphers/ecdh-aes-cbc-as-published.ts';
import { ecdhP256Aes128Gcm } from './ciphers/ecdh-aes-gcm.ts';
import { salsa20Blake2b } from './ciphers/salsa20-blake2b.ts';
import { simon128CtrHmacSha256 } from './ciphers/simon-ctr-hmac.ts';
import { speck128CtrHmacSha256 } from './ciphers/speck-ctr-hmac.ts';
import type { PayloadCipher } from './payload-cipher.ts';

/** Every payload cipher, in the order of the wizard. */
export const payloadCiphers: readonly PayloadCipher[] = [
  aes128Gcm,
  aes256Gcm,
  chaCha20Poly1305,
  aes128Ccm8,
  aes256Ccm8,
  aes128Eax,
  aes256Eax,
  aes128CtrHmacSha256,
  salsa20Blake2b,
  asconAead128,
  simon128CtrHmacSha256,
  speck128CtrHmacSha256,
  ecdhP256Aes128CbcAsPublished,
  ecdhP256Aes128Gcm,
];

export function findPayloadCipher(id: string): PayloadCipher | undefined {
  return payloadCiphers.find((cipher) => cipher.id === id);
}
