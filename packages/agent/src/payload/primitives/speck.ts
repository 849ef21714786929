import { type RoundKeys, readKeyWords, storeWords, wordMask } from './simon-speck-words.ts';

const rounds = 32;

/** SPECK-128/128 (Beaulieu et al., "The SIMON and SPECK families of lightweight block ciphers", 2013). */
export function expandSpeckKey(key: Uint8Array): RoundKeys {
  let [k, l] = readKeyWords(key);
  const words: bigint[] = [];
  for (let i = 0n; i < rounds; i += 1n) {
    words.push(k);
    l = ((k + rotateRight(l, 8n)) & wordMask) ^ i;
    k = rotateRight(k, 61n) ^ l;
  }
  return storeWords(words);
}

function rotateRight(word: bigint, bits: bigint): bigint {
  return ((word >> bits) | (word << (64n - bits))) & wordMask;
}

/** Encrypts one block in place: four halves, the first word of the block (y) and then the second (x), low half first. */
export function encryptSpeckBlock(keys: RoundKeys, block: Int32Array): void {
  let y = block[0]!;
  let yHigh = block[1]!;
  let x = block[2]!;
  let xHigh = block[3]!;
  for (let i = 0; i < 2 * rounds; i += 2) {
    const rotated = (x >>> 8) | (xHigh << 24);
    const rotatedHigh = (xHigh >>> 8) | (x << 24);
    const sum = (rotated + y) | 0;
    const carry = sum >>> 0 < y >>> 0 ? 1 : 0;
    x = sum ^ keys[i]!;
    xHigh = (rotatedHigh + yHigh + carry) ^ keys[i + 1]!;
    const turned = (y << 3) | (yHigh >>> 29);
    const turnedHigh = (yHigh << 3) | (y >>> 29);
    y = turned ^ x;
    yHigh = turnedHigh ^ xHigh;
  }
  block[0] = y;
  block[1] = yHigh;
  block[2] = x;
  block[3] = xHigh;
}
