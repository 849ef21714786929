import { encryptSimonBlock, expandSimonKey } from '../primitives/simon.ts';
import { makeBlockCipherHmacBox } from './block-cipher-hmac.ts';
import { makeFramedCipher } from './framed-cipher.ts';

const simon = { expandKey: expandSimonKey, encryptBlock: encryptSimonBlock };

export const simon128CtrHmacSha256 = makeFramedCipher('simon-128-128-ctr-hmac-sha256', (key) =>
  makeBlockCipherHmacBox(key, simon),
);
