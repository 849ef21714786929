export const arrivals = { new: 0, reordered: 1, duplicate: 2 } as const;
export type Arrival = (typeof arrivals)[keyof typeof arrivals];

/** Most words of 32 sequence numbers that are kept: 2,097,152 numbers behind the newest, 256 KiB. */
const maxWords = 65_536;
const minWords = 4;

/**
 * Which sequence numbers of one publisher came: a bitmap from the oldest number still missing to the newest seen.
 * It grows with the gap between the two. What is older than the longest gap counts as a duplicate: by then the
 * two cannot be told apart, and TCP has long given up on the missing one.
 */
export class SequenceWindow {
  #bits = new Uint32Array(minWords);
  /** Word number (sequence / 32) of the oldest word kept; its place in the ring is `word & (length - 1)`. */
  #oldest = 0;
  /** Highest number seen. */
  #newest = -1;

  /** Notes an arrival. Reordered: a higher number came before it (RFC 4737 section 3). */
  add(sequence: number): Arrival {
    const word = Math.floor(sequence / 32);
    if (word < this.#oldest) return arrivals.duplicate;
    if (word - this.#oldest >= this.#bits.length) this.#makeRoom(word);
    const place = word & (this.#bits.length - 1);
    const bit = 1 << (sequence & 31);
    if ((this.#bits[place]! & bit) !== 0) return arrivals.duplicate;
    this.#bits[place]! |= bit;
    if (this.#bits[place] === 0xffff_ffff && word === this.#oldest) this.#dropFull();
    if (sequence < this.#newest) return arrivals.reordered;
    this.#newest = sequence;
    return arrivals.new;
  }

  #dropFull(): void {
    const mask = this.#bits.length - 1;
    while (this.#bits[this.#oldest & mask] === 0xffff_ffff) {
      this.#bits[this.#oldest & mask] = 0;
      this.#oldest += 1;
    }
  }

  #makeRoom(word: number): void {
    const needed = word - this.#oldest + 1;
    if (this.#bits.length < maxWords && needed > this.#bits.length) this.#grow(Math.min(needed, maxWords));
    // Still too far ahead: forget the oldest words.
    const mask = this.#bits.length - 1;
    const oldest = word - mask;
    if (oldest - this.#oldest > mask) this.#bits.fill(0);
    else for (let w = this.#oldest; w < oldest; w += 1) this.#bits[w & mask] = 0;
    this.#oldest = Math.max(this.#oldest, oldest);
  }

  #grow(words: number): void {
    let length = this.#bits.length;
    while (length < words) length *= 2;
    const bits = new Uint32Array(length);
    for (let i = 0; i < this.#bits.length; i += 1) {
      const word = this.#oldest + i;
      bits[word & (length - 1)] = this.#bits[word & (this.#bits.length - 1)]!;
    }
    this.#bits = bits;
  }
}
