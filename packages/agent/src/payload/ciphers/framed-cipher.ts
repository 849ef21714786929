import { randomBytes } from 'node:crypto';
import { cipherFailures, type PayloadCipherEnd } from './payload-cipher.ts';
import {
  freshness,
  NonceSource,
  nonceBytes,
  prefixBytes,
  readUint32,
  SenderTable,
} from './replay-protection.ts';

/** The most that a payload can be: an MQTT packet ends here (MQTT 5 section 1.5.5). */
export const maxPacketBytes = 2 ** 28;

/**
 * The cryptographic core of an authenticated cipher: one message under one nonce. What goes around it (nonces,
 * associated data, replay) is the same for all of them: `makeFramedEnd`.
 */
export interface Box {
  readonly tagBytes: number;
  readonly maxPlainBytes: number;
  /** Writes ciphertext and then tag; `out` has exactly their size. */
  seal(frame: Frame, plain: Uint8Array, out: Uint8Array): void;
  /** Ciphertext and tag back to plaintext; false, with `out` as it was, when they are not authentic. */
  open(frame: Frame, sealed: Uint8Array, out: Uint8Array): boolean;
}

export interface Frame {
  nonce: Uint8Array;
  /** Authenticated but not encrypted. */
  associated: Uint8Array;
}

/** Compares in a time that tells nothing about where they differ. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= a[i]! ^ b[i]!;
  return difference === 0;
}

const sequenceBytes = nonceBytes - prefixBytes;

export interface FramedEndOptions {
  nonces?: NonceSource;
  senders?: SenderTable;
}

/**
 * One end of a connection that protects payloads with `box`:
 *   0 prefix (8) · 8 sequence number (4) · 12 ciphertext · tag
 * The first 12 bytes are the nonce. Associated data is the topic and the sequence number, so that a payload moved
 * to another topic or another place in the order is not authentic.
 */
export function makeFramedEnd(box: Box, options: FramedEndOptions = {}): PayloadCipherEnd {
  const nonces = options.nonces ?? new NonceSource(randomBytes(prefixBytes));
  const senders = options.senders ?? new SenderTable();
  const overhead = nonceBytes + box.tagBytes;
  const frame: Frame = { nonce: Buffer.alloc(nonceBytes), associated: Buffer.alloc(sequenceBytes) };
  let reordered = false;

  const associate = (topic: Uint8Array) => {
    const bytes = topic.length + sequenceBytes;
    if (frame.associated.length !== bytes) frame.associated = Buffer.alloc(bytes);
    frame.associated.set(topic);
    for (let i = 0; i < sequenceBytes; i += 1) {
      frame.associated[topic.length + i] = frame.nonce[prefixBytes + i]!;
    }
  };

  return {
    get reordered() {
      return reordered;
    },
    encrypt(plain, out, topic) {
      const bytes = plain.length + overhead;
      if (out.length < bytes) return cipherFailures.outputTooSmall;
      if (plain.length > box.maxPlainBytes) return cipherFailures.plaintextTooLong;
      if (!nonces.writeNext(frame.nonce)) return cipherFailures.nonceExhausted;
      associate(topic);
      out.set(frame.nonce);
      box.seal(frame, plain, out.subarray(nonceBytes, bytes));
      return bytes;
    },
    decrypt(sealed, out, topic) {
      const bytes = sealed.length - overhead;
      if (bytes < 0) return cipherFailures.tooShort;
      if (out.length < bytes) return cipherFailures.outputTooSmall;
      if (bytes > box.maxPlainBytes) return cipherFailures.authentication;
      for (let i = 0; i < nonceBytes; i += 1) frame.nonce[i] = sealed[i]!;
      associate(topic);
      // Authentic first, then fresh: a forged sequence number must not move the window.
      if (!box.open(frame, sealed.subarray(nonceBytes), out.subarray(0, bytes))) {
        return cipherFailures.authentication;
      }
      const window = senders.windowOf(readUint32(sealed, 0), readUint32(sealed, 4));
      if (window === null) return cipherFailures.tooManySenders;
      const fresh = window.accept(readUint32(sealed, prefixBytes));
      if (fresh === freshness.replayed) return cipherFailures.replayed;
      reordered = fresh === freshness.reordered;
      return bytes;
    },
  };
}
