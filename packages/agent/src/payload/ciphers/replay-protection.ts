/** 8 bytes that the sender chose at random, then the sequence number, big endian. */
export const prefixBytes = 8;
export const nonceBytes = 12;

const lastSequence = 0xffff_ffff;

/** The nonces of one connection, each of them once. */
export class NonceSource {
  readonly #prefix: Uint8Array;
  #next: number;

  constructor(prefix: Uint8Array, firstSequence: number = 0) {
    this.#prefix = prefix;
    this.#next = firstSequence;
  }

  /** Writes the next nonce to the first 12 bytes of `out`; false, and nothing written, when all are used. */
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

/** How far behind the newest sequence number an older one may still come. */
export const replayWindowMessages = (words - 1) * 32;

export const freshness = { fresh: 0, reordered: 1, replayed: 2 } as const;
export type Freshness = (typeof freshness)[keyof typeof freshness];

/**
 * Which sequence numbers of one sender were accepted: a ring of bits that moves with the newest (RFC 6479).
 * What is older than the window counts as replayed, because nobody can tell any more.
 */
export class ReplayWindow {
  readonly #bits = new Uint32Array(words);
  #newest = -1;

  /** Notes a sequence number (32 bits) whose message is authentic; never call it for one that is not. */
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

/** The replay windows of everyone a subscriber has heard, by the 8 random bytes that each chose. */
export class SenderTable {
  readonly #senders = new Map<number, Sender>();
  readonly #most: number;
  #count = 0;

  constructor(most: number = maxSenders) {
    this.#most = most;
  }

  /** Made when it is not there; null when there are too many, rather than forgetting whom one has heard. */
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
