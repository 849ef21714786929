/** Flips one bit in every n-th ciphertext, each time elsewhere: what a man in the middle would do. */
export class Tampering {
  readonly #every: number;
  #seen = 0;
  #altered = 0;

  /** 0: nothing is altered. */
  constructor(every: number) {
    this.#every = every;
  }

  get altered(): number {
    return this.#altered;
  }

  offer(sealed: Uint8Array): void {
    if (this.#every === 0) return;
    this.#seen += 1;
    if (this.#seen % this.#every !== 0) return;
    // A prime, so that the places do not follow the size.
    const at = (this.#altered * 7_919) % sealed.length;
    sealed[at]! ^= 1 << (this.#altered % 8);
    this.#altered += 1;
  }
}
