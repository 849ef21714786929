import { makeAesGcmBox } from './aes-gcm.ts';
import { makeFramedCipher } from './framed-cipher.ts';

/** The authenticated scheme that makes a fair comparison with the published one without a code. */
export const ecdhP256Aes128Gcm = makeFramedCipher('ecdh-p256-aes-128-gcm', makeAesGcmBox);
