import { createCipheriv, createSecretKey } from 'node:crypto';
import { makeHmacSha256 } from '../primitives/hmac-sha256.ts';
import type { Box } from './box.ts';
import { makeEncryptThenMacBox } from './encrypt-then-mac-box.ts';
import { makeFramedCipher } from './framed-cipher.ts';

const cipherKeyBytes = 16;
/** RFC 3686 allows 2^36 bytes before its 32-bit block counter ends; an MQTT packet ends at 2^28. */
const maxPlainBytes = 2 ** 28;

/** AES-128-CTR with the block counter of RFC 3686 (32 bits after the nonce, from 1), then HMAC-SHA-256. */
export function makeAesCtrHmacBox(key: Uint8Array): Box {
  const secret = createSecretKey(key.subarray(0, cipherKeyBytes));
  const counterBlock = Buffer.alloc(16);
  counterBlock[15] = 1;
  return makeEncryptThenMacBox({
    applyKeystream(nonce, input, output) {
      counterBlock.set(nonce);
      output.set(createCipheriv('aes-128-ctr', secret, counterBlock).update(input));
    },
    authenticate: makeHmacSha256(key.subarray(cipherKeyBytes)),
    maxPlainBytes,
  });
}

export const aes128CtrHmacSha256 = makeFramedCipher('aes-128-ctr-hmac-sha256', makeAesCtrHmacBox);
