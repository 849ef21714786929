import { createCipheriv, createSecretKey } from 'node:crypto';
import { type Box, isSame, maxPacketBytes } from './payload-cipher.ts';

const tagBytes = 16;

/**
 * Makes a box for AES-EAX with a key of 16 or 32 bytes. It uses CTR and CBC of node:crypto, because no
 * maintained library offers EAX.
 */
export function makeAesEaxBox(key: Uint8Array): Box {
  const secret = createSecretKey(key);
  const algorithm = key.length === 16 ? 'aes-128-ctr' : 'aes-256-ctr';
  const omac = makeOmac(key);
  const tag = new Uint8Array(tagBytes);

  const finishTag = (nonceMac: Uint8Array, associated: Uint8Array, sealed: Uint8Array) => {
    const headerMac = omac(1, associated);
    const textMac = omac(2, sealed);
    for (let i = 0; i < tagBytes; i += 1) tag[i] = nonceMac[i]! ^ headerMac[i]! ^ textMac[i]!;
    return tag;
  };

  return {
    tagBytes,
    // EAX itself has no limit.
    maxPlainBytes: maxPacketBytes,
    seal({ nonce, associated }, plain, out) {
      const nonceMac = omac(0, nonce);
      const sealed = createCipheriv(algorithm, secret, nonceMac).update(plain);
      out.set(sealed);
      out.set(finishTag(nonceMac, associated, sealed), plain.length);
    },
    open({ nonce, associated }, sealed, out) {
      const bytes = sealed.length - tagBytes;
      const nonceMac = omac(0, nonce);
      const text = sealed.subarray(0, bytes);
      if (!isSame(finishTag(nonceMac, associated, text), sealed.subarray(bytes))) return false;
      // CTR decryption is the same as encryption.
      out.set(createCipheriv(algorithm, secret, nonceMac).update(text));
      return true;
    },
  };
}

const blockBytes = 16;

/**
 * Makes AES-CMAC (NIST SP 800-38B), as OMAC with a tweak block before the message (EAX paper, section 3):
 * OMAC_t(M) = CMAC(15 zero bytes, t, M). node:crypto offers no CMAC, but its CBC can do all the work. One CBC
 * object is used for all messages: its chaining value from the previous message is XORed away.
 */
export function makeOmac(key: Uint8Array): (tweak: number, message: Uint8Array) => Uint8Array {
  const algorithm = key.length === 16 ? 'aes-128-cbc' : 'aes-256-cbc';
  const cbc = createCipheriv(algorithm, createSecretKey(key), Buffer.alloc(blockBytes)).setAutoPadding(false);
  const first = double(cbc.update(Buffer.alloc(blockBytes)));
  const second = double(first);
  const restart = cbc.update(Buffer.alloc(blockBytes));
  let carried = restart;
  let scratch = Buffer.alloc(0);

  return (tweak, message) => {
    const rest = message.length % blockBytes;
    const isWhole = rest === 0;
    const bytes = blockBytes + message.length + (isWhole ? 0 : blockBytes - rest);
    if (scratch.length < bytes) scratch = Buffer.alloc(2 * bytes);
    scratch.fill(0, 0, blockBytes);
    scratch[blockBytes - 1] = tweak;
    scratch.set(message, blockBytes);
    if (!isWhole) {
      scratch.fill(0, blockBytes + message.length, bytes);
      scratch[blockBytes + message.length] = 0x80;
    }
    xorInto(scratch, bytes - blockBytes, isWhole ? first : second);
    xorInto(scratch, 0, carried);
    const chain = cbc.update(scratch.subarray(0, bytes));
    carried = chain.subarray(bytes - blockBytes);
    return carried;
  };
}

function xorInto(bytes: Uint8Array, at: number, block: Uint8Array): void {
  for (let i = 0; i < blockBytes; i += 1) bytes[at + i]! ^= block[i]!;
}

/** Multiplies by x in GF(2^128), SP 800-38B section 6.1. */
function double(block: Uint8Array): Uint8Array {
  const doubled = new Uint8Array(blockBytes);
  for (let i = 0; i < blockBytes; i += 1) {
    doubled[i] = (block[i]! << 1) | ((block[i + 1] ?? 0) >>> 7);
  }
  if ((block[0]! & 0x80) !== 0) doubled[blockBytes - 1]! ^= 0x87;
  return doubled;
}
