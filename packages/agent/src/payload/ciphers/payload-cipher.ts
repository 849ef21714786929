import { randomBytes } from 'node:crypto';
import type { PayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';

/** The implementation of a payload cipher in the catalogue. */
export interface PayloadCipher extends PayloadCipherDefinition {
  /**
   * Performs all work that is needed once per key; resolves with a function that makes one end of one
   * connection. All ends run in one thread, one at a time. Rejects with RangeError if the key has another
   * size.
   */
  prepare(key: Uint8Array): Promise<() => PayloadCipherEnd>;
}

/**
 * One end of one connection, which can encrypt and decrypt. No method throws because of a message: a negative
 * result is one of `cipherFailures`, and then `out` has no valid content. Unauthentic plaintext is never
 * written to it.
 */
export interface PayloadCipherEnd {
  /**
   * Writes the protected payload to the beginning of `out`, which must not overlap `plain` and must have room
   * for `plain.length + expansionBytesOf(cipher, plain.length)`. Returns the number of bytes written.
   */
  encrypt(plain: Uint8Array, out: Uint8Array, topic: Uint8Array): number;
  /**
   * Verifies and decrypts a payload that arrived under `topic` (UTF-8 bytes as on the wire); `out` must have
   * room for `sealed.length`. A payload that was already accepted is refused as replayed, including a
   * redelivery at QoS 1.
   */
  decrypt(sealed: Uint8Array, out: Uint8Array, topic: Uint8Array): number;
  /**
   * True if another payload overtook the last accepted payload; false for ciphers without sequence numbers.
   */
  readonly reordered: boolean;
}

/** Reasons why a payload was not encrypted or not accepted. */
export const cipherFailures = {
  outputTooSmall: -1,
  plaintextTooLong: -2,
  nonceExhausted: -3,
  tooShort: -4,
  authentication: -5,
  replayed: -6,
  badPadding: -7,
  tooManySenders: -8,
} as const;

/** Returns the name of a negative result; null for a number of bytes. */
export function nameCipherFailure(result: number): string | null {
  return Object.entries(cipherFailures).find(([, code]) => code === result)?.[0] ?? null;
}

/** Throws RangeError. */
export function checkKeySize(
  { id, keyBytes }: Pick<PayloadCipherDefinition, 'id' | 'keyBytes'>,
  key: Uint8Array,
): void {
  if (key.length !== keyBytes) {
    throw new RangeError(`${id} needs ${keyBytes} bytes of key material, not ${key.length}`);
  }
}

/** Maximum size of a payload, which is that of an MQTT packet (MQTT 5 section 1.5.5). */
export const maxPacketBytes = 2 ** 28;

/**
 * The cryptographic core of an authenticated cipher: one message under one nonce. `makeFramedEnd` adds
 * nonces, associated data and replay protection, which are the same for all ciphers.
 */
export interface Box {
  readonly tagBytes: number;
  readonly maxPlainBytes: number;
  /** Writes the ciphertext and then the tag; `out` must have exactly their size. */
  seal(frame: Frame, plain: Uint8Array, out: Uint8Array): void;
  /**
   * Decrypts a ciphertext with its tag; returns false and leaves `out` unchanged if they are not authentic.
   */
  open(frame: Frame, sealed: Uint8Array, out: Uint8Array): boolean;
}

export interface Frame {
  nonce: Uint8Array;
  /** Data that is authenticated but not encrypted. */
  associated: Uint8Array;
}

/** Compares two byte arrays in constant time. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= a[i]! ^ b[i]!;
  return difference === 0;
}

interface FramedEndOptions {
  nonces?: NonceSource;
  senders?: SenderTable;
}

/**
 * Makes one end of a connection that protects payloads with `box`:
 *   0 prefix (8) · 8 sequence number (4) · 12 ciphertext · tag
 * The first 12 bytes are the nonce. Associated data is the topic and the sequence number, so that a payload moved
 * to another topic or another position is not authentic.
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
      // Checks authenticity before freshness, because a forged sequence number must not move the window.
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

/** 8 bytes that the sender chose at random, followed by the sequence number, big-endian. */
export const prefixBytes = 8;
export const nonceBytes = 12;
const sequenceBytes = nonceBytes - prefixBytes;

const lastSequence = 0xffff_ffff;

/** The nonces of one connection, each of which is used once. */
export class NonceSource {
  readonly #prefix: Uint8Array;
  #next: number;

  constructor(prefix: Uint8Array, firstSequence: number = 0) {
    this.#prefix = prefix;
    this.#next = firstSequence;
  }

  /**
   * Writes the next nonce to the first 12 bytes of `out`; returns false without writing if all nonces have
   * been used.
   */
  writeNext(out: Uint8Array): boolean {
    const sequence = this.#next;
    if (sequence > lastSequence) return false;
    this.#next += 1;
    out.set(this.#prefix);
    writeUint32(out, prefixBytes, sequence);
    return true;
  }
}

function writeUint32(out: Uint8Array, at: number, value: number): void {
  out[at] = value >>> 24;
  out[at + 1] = value >>> 16;
  out[at + 2] = value >>> 8;
  out[at + 3] = value;
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

const words = 64;

/** Maximum distance of an accepted sequence number from the newest sequence number. */
export const replayWindowMessages = (words - 1) * 32;

export const freshness = { fresh: 0, reordered: 1, replayed: 2 } as const;
type Freshness = (typeof freshness)[keyof typeof freshness];

/**
 * Accepted sequence numbers of one sender: a ring of bits that moves with the newest number (RFC 6479). A
 * message older than the window counts as replayed, because there is no record of it.
 */
export class ReplayWindow {
  readonly #bits = new Uint32Array(words);
  #newest = -1;

  /** Records the sequence number (32 bits) of an authentic message; never call this for any other message. */
  accept(sequence: number): Freshness {
    const word = sequence >>> 5;
    const newestWord = this.#newest < 0 ? -1 : this.#newest >>> 5;
    if (word <= newestWord - (words - 1)) return freshness.replayed;
    for (let w = Math.max(newestWord + 1, word - words + 1); w <= word; w += 1) this.#bits[w % words] = 0;
    const bit = 1 << (sequence & 31);
    if ((this.#bits[word % words]! & bit) !== 0) return freshness.replayed;
    this.#bits[word % words]! |= bit;
    if (sequence < this.#newest) return freshness.reordered;
    this.#newest = sequence;
    return freshness.fresh;
  }
}

/** About 400 bytes each. */
const maxSenders = 65_536;

interface Sender {
  high: number;
  low: number;
  window: ReplayWindow;
  /** Another sender with the same `low`. */
  next: Sender | null;
}

/** The replay windows for all senders to a subscriber, by the 8 random bytes that each sender chose. */
export class SenderTable {
  readonly #senders = new Map<number, Sender>();
  readonly #most: number;
  #count = 0;

  constructor(most: number = maxSenders) {
    this.#most = most;
  }

  /**
   * Returns a sender's window and creates it if missing; null if there are too many, so that no known sender
   * is evicted.
   */
  windowOf(high: number, low: number): ReplayWindow | null {
    const first = this.#senders.get(low) ?? null;
    for (let sender = first; sender !== null; sender = sender.next) {
      if (sender.high === high) return sender.window;
    }
    if (this.#count >= this.#most) return null;
    this.#count += 1;
    const window = new ReplayWindow();
    this.#senders.set(low, { high, low, window, next: first });
    return window;
  }
}
