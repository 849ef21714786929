import { createCipheriv, createHmac, createSecretKey } from 'node:crypto';
import { xsalsa20 } from '@noble/ciphers/salsa.js';
import { type Box, type Frame, isSame, maxPacketBytes, nonceBytes, prefixBytes } from './payload-cipher.ts';

const tagBytes = 16;
/** Length of the MAC key, which is at the end of the key. */
const hmacKeyBytes = 32;
const salsaKeyBytes = 32;
const salsaNonceBytes = 24;
const blake2bBits = 128;

/**
 * XORs `input` with the keystream for this nonce and writes the result to `output`, which has the same
 * length.
 */
type ApplyKeystream = (nonce: Uint8Array, input: Uint8Array, output: Uint8Array) => void;
/** Returns a MAC of at least 16 bytes over two consecutive parts. */
type Authenticate = (head: Uint8Array, sealed: Uint8Array) => Uint8Array;

/**
 * Makes boxes whose key is a key of 16 or 32 bytes for AES, SIMON or SPECK, followed by a key for
 * HMAC-SHA-256.
 */
const makeHmacBox = (makeKeystream: (key: Uint8Array) => ApplyKeystream) => (key: Uint8Array) =>
  makeBox(makeKeystream(key.slice(0, -hmacKeyBytes)), makeHmacSha256(key.subarray(-hmacKeyBytes)));

/**
 * AES in counter mode with the block counter of RFC 3686 (32 bits after the nonce, from 1), which is enough
 * for 2^36 bytes.
 */
export const makeAesCtrHmacBox = makeHmacBox((key) => {
  const secret = createSecretKey(key);
  const cipher = `aes-${8 * key.length}-ctr`;
  const counterBlock = Buffer.alloc(16);
  counterBlock[15] = 1;
  return (nonce, input, output) => {
    counterBlock.set(nonce);
    output.set(createCipheriv(cipher, secret, counterBlock).update(input));
  };
});

export const makeSimonHmacBox = makeHmacBox((key) => {
  const keys = expandSimonKey(key);
  return makeCounterMode((block) => encryptSimonBlock(keys, block));
});

export const makeSpeckHmacBox = makeHmacBox((key) => {
  const keys = expandSpeckKey(key);
  return makeCounterMode((block) => encryptSpeckBlock(keys, block));
});

/**
 * Makes a box for Salsa20/20 with BLAKE2b. The 8-byte nonce of Salsa20 is too short for a random prefix and a
 * number. It is extended as in XSalsa20: HSalsa20 derives the Salsa20 key from the key and the prefix, and
 * the Salsa20 nonce is the sequence number. BLAKE2b calculates with 64-bit words, which JavaScript lacks, so
 * WebAssembly is ten times as fast. The module is loaded on demand, because it uses memory.
 */
export async function makeSalsa20Blake2bBox(key: Uint8Array): Promise<Box> {
  const { createBLAKE2b } = await import('hash-wasm');
  const cipherKey = new Uint8Array(key.subarray(0, salsaKeyBytes));
  const keyed = await createBLAKE2b(blake2bBits, key.subarray(salsaKeyBytes));
  const longNonce = new Uint8Array(salsaNonceBytes);
  const applyKeystream: ApplyKeystream = (nonce, input, output) => {
    longNonce.set(nonce.subarray(0, prefixBytes));
    longNonce.set(nonce.subarray(prefixBytes), salsaNonceBytes - (nonceBytes - prefixBytes));
    xsalsa20(cipherKey, longNonce, input, output);
  };
  return makeBox(applyKeystream, (head, sealed) => keyed.init().update(head).update(sealed).digest('binary'));
}

/** Makes HMAC-SHA-256 (RFC 2104, FIPS 180-4), which returns 32 bytes. */
export function makeHmacSha256(key: Uint8Array): Authenticate {
  const secret = createSecretKey(key);
  return (head, sealed) => createHmac('sha256', secret).update(head).update(sealed).digest();
}

/**
 * Makes a box that uses encrypt-then-MAC with two independent keys; the first 16 bytes of the MAC are the
 * tag. The MAC covers, in this order, the length of the associated data (4 bytes, big-endian), the associated
 * data, the nonce and the ciphertext. No byte can therefore move from one part to the next.
 */
function makeBox(applyKeystream: ApplyKeystream, authenticate: Authenticate): Box {
  let head = Buffer.alloc(0);

  const tagOf = ({ nonce, associated }: Frame, sealed: Uint8Array) => {
    const bytes = 4 + associated.length + nonce.length;
    if (head.length !== bytes) {
      head = Buffer.alloc(bytes);
      head.writeUInt32BE(associated.length, 0);
    }
    head.set(associated, 4);
    head.set(nonce, 4 + associated.length);
    return authenticate(head, sealed).subarray(0, tagBytes);
  };

  return {
    tagBytes,
    maxPlainBytes: maxPacketBytes,
    seal(frame, plain, out) {
      const sealed = out.subarray(0, plain.length);
      applyKeystream(frame.nonce, plain, sealed);
      out.set(tagOf(frame, sealed), plain.length);
    },
    open(frame, sealed, out) {
      const bytes = sealed.length - tagBytes;
      const text = sealed.subarray(0, bytes);
      if (!isSame(tagOf(frame, text), sealed.subarray(bytes))) return false;
      applyKeystream(frame.nonce, text, out);
      return true;
    },
  };
}

/** Round keys of 64 bits, each stored as its low half and then its high half. */
type RoundKeys = Int32Array;

const wordMask = 0xffff_ffff_ffff_ffffn;

/**
 * Reads the key as words of 64 bits, little-endian, lowest word first ("SIMON and SPECK implementation
 * guide", 2019, section 3).
 */
function readKeyWords(key: Uint8Array): bigint[] {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  return Array.from({ length: key.byteLength / 8 }, (_, i) => view.getBigUint64(8 * i, true));
}

function storeWords(words: readonly bigint[]): RoundKeys {
  const halves = new Int32Array(2 * words.length);
  words.forEach((word, i) => {
    halves[2 * i] = Number(word & 0xffff_ffffn) | 0;
    halves[2 * i + 1] = Number(word >> 32n) | 0;
  });
  return halves;
}

/**
 * For each number of key words: the number of rounds, and the sequence in the paper (z2, z4) with its period
 * of 62 bits, first bit first.
 */
const simonKeys: Readonly<Record<number, { rounds: number; z: string }>> = {
  2: { rounds: 68, z: '10101111011100000011010010011000101000010001111110010110110011' },
  4: { rounds: 72, z: '11010001111001101011011000100000010111000011001010010011101111' },
};

/**
 * Expands a key for SIMON-128/128 or 128/256 (Beaulieu et al., "The SIMON and SPECK families of lightweight
 * block ciphers", 2013).
 */
export function expandSimonKey(key: Uint8Array): RoundKeys {
  const words = readKeyWords(key);
  const m = words.length;
  const { rounds, z } = simonKeys[m]!;
  for (let i = 0; i + m < rounds; i += 1) {
    const turned = rotateRight(words[i + m - 1]!, 3n) ^ (m === 4 ? words[i + 1]! : 0n);
    const constant = (wordMask - 3n) ^ BigInt(z[i % z.length]!);
    words.push(constant ^ words[i]! ^ turned ^ rotateRight(turned, 1n));
  }
  return storeWords(words);
}

function rotateRight(word: bigint, bits: bigint): bigint {
  return ((word >> bits) | (word << (64n - bits))) & wordMask;
}

/**
 * Encrypts one block in place. The block has four halves: first word (y), then second word (x), low half
 * first.
 */
export function encryptSimonBlock(keys: RoundKeys, block: Int32Array): void {
  let y = block[0]!;
  let yHigh = block[1]!;
  let x = block[2]!;
  let xHigh = block[3]!;
  for (let i = 0; i < keys.length; i += 2) {
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

/** Expands a key for SPECK-128/128 with 32 rounds or 128/256 with 34 rounds (the same paper). */
export function expandSpeckKey(key: Uint8Array): RoundKeys {
  let [k = 0n, ...l] = readKeyWords(key);
  const rounds = 31 + l.length;
  const words: bigint[] = [];
  for (let i = 0; i < rounds; i += 1) {
    words.push(k);
    const next = ((k + rotateRight(l[i]!, 8n)) & wordMask) ^ BigInt(i);
    l.push(next);
    k = rotateRight(k, 61n) ^ next;
  }
  return storeWords(words);
}

/**
 * Encrypts one block in place. The block has four halves: first word (y), then second word (x), low half
 * first.
 */
export function encryptSpeckBlock(keys: RoundKeys, block: Int32Array): void {
  let y = block[0]!;
  let yHigh = block[1]!;
  let x = block[2]!;
  let xHigh = block[3]!;
  for (let i = 0; i < keys.length; i += 2) {
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

const blockBytes = 16;

/**
 * Makes counter mode (NIST SP 800-38A section 6.5) around one of this project's block ciphers. The counter
 * block is a nonce of 12 bytes and a 32-bit block counter from 1, big-endian, as in RFC 3686; a block is four
 * little-endian halves.
 */
export function makeCounterMode(encryptBlock: (block: Int32Array) => void) {
  const block = new Int32Array(4);
  const keystream = new DataView(block.buffer);
  const start = new DataView(new ArrayBuffer(12));

  return (nonce: Uint8Array, input: Uint8Array, output: Uint8Array): void => {
    for (let i = 0; i < 12; i += 1) start.setUint8(i, nonce[i]!);
    const first = start.getInt32(0, true);
    const second = start.getInt32(4, true);
    const third = start.getInt32(8, true);
    const from = new DataView(input.buffer, input.byteOffset, input.byteLength);
    const to = new DataView(output.buffer, output.byteOffset, output.byteLength);
    const whole = input.length - (input.length % blockBytes);
    let counter = 1;
    for (let at = 0; at < input.length; at += blockBytes) {
      block[0] = first;
      block[1] = second;
      block[2] = third;
      block[3] = swapBytes(counter);
      counter += 1;
      encryptBlock(block);
      if (at < whole) {
        for (let i = 0; i < 4; i += 1)
          to.setInt32(at + 4 * i, from.getInt32(at + 4 * i, true) ^ block[i]!, true);
      } else {
        for (let i = 0; i < 4; i += 1) keystream.setInt32(4 * i, block[i]!, true);
        for (let i = at; i < input.length; i += 1) output[i] = input[i]! ^ keystream.getUint8(i - at);
      }
    }
  };
}

function swapBytes(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}
