import { type RoundKeys, readKeyWords, storeWords, wordMask } from './simon-speck-words.ts';

const rounds = 68;
/** z2 of the paper, its period of 62 bits, first bit first. */
const z2 = '10101111011100000011010010011000101000010001111110010110110011';

/** SIMON-128/128 (Beaulieu et al., "The SIMON and SPECK families of lightweight block ciphers", 2013). */
export function expandSimonKey(key: Uint8Array): RoundKeys {
  const words: bigint[] = [...readKeyWords(key)];
  for (let i = 0; i + 2 < rounds; i += 1) {
    const turned = rotateRight(words[i + 1]!, 3n);
    const constant = (wordMask - 3n) ^ BigInt(z2[i % z2.length]!);
    words.push(constant ^ words[i]! ^ turned ^ rotateRight(turned, 1n));
  }
  return storeWords(words);
}

function rotateRight(word: bigint, bits: bigint): bigint {
  return ((word >> bits) | (word << (64n - bits))) & wordMask;
}

/** Encrypts one block in place: four halves, the first word of the block (y) and then the second (x), low half first. */
export function encryptSimonBlock(keys: RoundKeys, block: Int32Array): void {
  let y = block[0]!;
  let yHigh = block[1]!;
  let x = block[2]!;
  let xHigh = block[3]!;
  for (let i = 0; i < 2 * rounds; i += 2) {
    const by1 = (x << 1) | (xHigh >>> 31);
    const by1High = (xHigh << 1) | (x >>> 31);
    const by8 = (x << 8) | (xHigh >>> 24);
    const by8High = (xHigh << 8) | (x >>> 24);
    const by2 = (x << 2) | (xHigh >>> 30);
    const by2High = (xHigh << 2) | (x >>> 30);
    const next = y ^ (by1 & by8) ^ by2 ^ keys[i]!;
    const nextHigh = yHigh ^ (by1High & by8High) ^ by2High ^ keys[i + 1]!;
    y = x;
    yHigh = xHigh;
    x = next;
    xHigh = nextHigh;
  }
  block[0] = y;
  block[1] = yHigh;
  block[2] = x;
  block[3] = xHigh;
}
