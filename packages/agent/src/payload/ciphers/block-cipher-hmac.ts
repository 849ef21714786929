import { makeCounterMode } from '../primitives/counter-mode.ts';
import { makeHmacSha256 } from '../primitives/hmac-sha256.ts';
import type { Box } from './box.ts';
import { makeEncryptThenMacBox } from './encrypt-then-mac-box.ts';

const cipherKeyBytes = 16;
/** The 32-bit block counter would last for 2^36 bytes; an MQTT packet ends at 2^28 (MQTT 5 section 1.5.5). */
const maxPlainBytes = 2 ** 28;

/** Counter mode around a block cipher of ours with a 128-bit key, then HMAC-SHA-256 with a key of its own. */
export function makeBlockCipherHmacBox<Keys>(
  key: Uint8Array,
  cipher: { expandKey(key: Uint8Array): Keys; encryptBlock(keys: Keys, block: Int32Array): void },
): Box {
  const keys = cipher.expandKey(key.slice(0, cipherKeyBytes));
  return makeEncryptThenMacBox({
    applyKeystream: makeCounterMode((block) => cipher.encryptBlock(keys, block)),
    authenticate: makeHmacSha256(key.subarray(cipherKeyBytes)),
    maxPlainBytes,
  });
}
