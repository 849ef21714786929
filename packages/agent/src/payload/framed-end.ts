import { randomBytes } from 'node:crypto';
import type { Box, Frame } from './ciphers/box.ts';
import { NonceSource, nonceBytes, prefixBytes, readUint32 } from './nonce-source.ts';
import { cipherFailures, type PayloadCipherEnd } from './payload-cipher.ts';
import { freshness } from './replay-window.ts';
import { SenderTable } from './sender-table.ts';

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
