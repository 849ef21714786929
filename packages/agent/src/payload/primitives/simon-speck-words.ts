/** Round keys of 64 bits, each as its low and then its high half. */
export type RoundKeys = Int32Array;

/** The low and then the high word of 128 bits. */
export type KeyWords = readonly [bigint, bigint];

export const wordMask = 0xffff_ffff_ffff_ffffn;

/** 16 bytes, little endian ("SIMON and SPECK implementation guide", 2019, section 3). */
export function readKeyWords(key: Uint8Array): KeyWords {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  return [view.getBigUint64(0, true), view.getBigUint64(8, true)];
}

export function storeWords(words: readonly bigint[]): RoundKeys {
  const halves = new Int32Array(2 * words.length);
  words.forEach((word, i) => {
    halves[2 * i] = Number(word & 0xffff_ffffn) | 0;
    halves[2 * i + 1] = Number(word >> 32n) | 0;
  });
  return halves;
}
