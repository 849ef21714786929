import { aes128Ccm8, aes256Ccm8 } from './aes-ccm-8.ts';
import { aes128CtrHmacSha256 } from './aes-ctr-hmac.ts';
import { aes128Eax, aes256Eax } from './aes-eax.ts';
import { aes128Gcm, aes256Gcm } from './aes-gcm.ts';
import { asconAead128 } from './ascon-aead128.ts';
import { chaCha20Poly1305 } from './chacha20-poly1305.ts';
import { ecdhP256Aes128CbcAsPublished } from './ecdh-aes-cbc-as-published.ts';
import { ecdhP256Aes128Gcm } from './ecdh-aes-gcm.ts';
import type { PayloadCipher } from './payload-cipher.ts';
import { salsa20Blake2b } from './salsa20-blake2b.ts';
import { simon128CtrHmacSha256 } from './simon-ctr-hmac.ts';
import { speck128CtrHmacSha256 } from './speck-ctr-hmac.ts';

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
