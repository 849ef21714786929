import { encryptSpeckBlock, expandSpeckKey } from '../primitives/speck.ts';
import { makeBlockCipherHmacBox } from './block-cipher-hmac.ts';
import { makeFramedCipher } from './framed-cipher.ts';

const speck = { expandKey: expandSpeckKey, encryptBlock: encryptSpeckBlock };

export const speck128CtrHmacSha256 = makeFramedCipher('speck-128-128-ctr-hmac-sha256', (key) =>
  makeBlockCipherHmacBox(key, speck),
);
