import { makeAesGcmBox } from './aes-gcm.ts';
import { ecdhP256 } from './ecdh-p256.ts';
import { makeFramedCipher } from './framed-cipher.ts';
import { agreedKeyProtection } from './protection.ts';

/** The authenticated scheme that makes a fair comparison with the published one without a code. */
export const ecdhP256Aes128Gcm = makeFramedCipher({
  id: 'ecdh-p256-aes-128-gcm',
  label: 'ECDH P-256 + AES-128-GCM',
  keyBytes: 16,
  keyAgreement: ecdhP256,
  protects: agreedKeyProtection,
  implementation: 'node:crypto',
  source: `${ecdhP256.source}; NIST SP 800-38D`,
  tagBytes: 16,
  makeBox: makeAesGcmBox,
});
