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
