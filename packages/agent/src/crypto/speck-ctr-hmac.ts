import { blockCipherHmacKeyBytes, makeBlockCipherHmacBox } from './block-cipher-hmac.ts';
import { makeFramedCipher } from './framed-cipher.ts';
import { encryptSpeckBlock, expandSpeckKey } from './primitives/speck.ts';
import { sharedKeyProtection } from './protection.ts';

const speck = { expandKey: expandSpeckKey, encryptBlock: encryptSpeckBlock };

export const speck128CtrHmacSha256 = makeFramedCipher({
  id: 'speck-128-128-ctr-hmac-sha256',
  label: 'SPECK-128/128-CTR + HMAC-SHA-256',
  keyBytes: blockCipherHmacKeyBytes,
  protects: sharedKeyProtection,
  implementation: 'mqttlab',
  source:
    'Beaulieu et al.: The SIMON and SPECK families of lightweight block ciphers (2013); NIST SP 800-38A (CTR), ' +
    'RFC 4868 (HMAC-SHA-256 cut to 16 bytes), encrypt-then-MAC',
  tagBytes: 16,
  makeBox: (key) => makeBlockCipherHmacBox(key, speck),
});
