import { createCipheriv, createHmac, createSecretKey } from 'node:crypto';
import { xsalsa20 } from '@noble/ciphers/salsa.js';
import { type Box, type Frame, isSame, maxPacketBytes } from './framed-cipher.ts';
import { nonceBytes, prefixBytes } from './replay-protection.ts';
import {
  encryptSimonBlock,
  encryptSpeckBlock,
  expandSimonKey,
  expandSpeckKey,
  makeCounterMode,
} from './simon-speck.ts';

const tagBytes = 16;
/** At the end of the key. */
const hmacKeyBytes = 32;
const salsaKeyBytes = 32;
const salsaNonceBytes = 24;
const blake2bBits = 128;

/** XORs `input` with the keystream of this nonce into `output`; both have the same length. */
type ApplyKeystream = (nonce: Uint8Array, input: Uint8Array, output: Uint8Array) => void;
/** A code over two parts in a row, of at least 16 bytes. */
type Authenticate = (head: Uint8Array, sealed: Uint8Array) => Uint8Array;

/** A key of 16 or 32 bytes for AES, SIMON or SPECK, then one for HMAC-SHA-256. */
const makeHmacBox = (makeKeystream: (key: Uint8Array) => ApplyKeystream) => (key: Uint8Array) =>
  makeBox(makeKeystream(key.slice(0, -hmacKeyBytes)), makeHmacSha256(key.subarray(-hmacKeyBytes)));

/** AES in counter mode, with the block counter of RFC 3686 (32 bits after the nonce, from 1), which 2^36 bytes would end. */
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
 * Salsa20/20 takes 8 bytes of nonce, too few for a random prefix and a number. They are extended as in XSalsa20:
 * HSalsa20 turns key and prefix into the key of Salsa20, whose own nonce is the sequence number.
 * BLAKE2b computes with words of 64 bits, which JavaScript lacks: in WebAssembly it is ten times as fast. That is
 * loaded only where it is needed, for it takes memory.
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

/** HMAC-SHA-256 (RFC 2104, FIPS 180-4); 32 bytes. */
export function makeHmacSha256(key: Uint8Array): Authenticate {
  const secret = createSecretKey(key);
  return (head, sealed) => createHmac('sha256', secret).update(head).update(sealed).digest();
}

/**
 * Encrypt-then-MAC with two independent keys; the first 16 bytes of the code are the tag. It covers, in this order:
 * length of the associated data (4 bytes, big endian), associated data, nonce, ciphertext; so no byte can move from
 * one part to the next.
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
