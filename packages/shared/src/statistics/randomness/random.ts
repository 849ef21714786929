/** Seeded source of uniform whole numbers in [0, 2^32). */
export interface Random {
  next(): number;
  /** Fills a whole array at once, several times faster than `next`. */
  fill(target: Uint32Array): void;
}

/**
 * Makes the seeded generator sfc32 (C. Doty-Humphrey, PractRand), warmed up; the same seed gives the same
 * sequence on all platforms. Throws RangeError unless the seed is a whole number in [0, 2^53).
 */
export function makeRandom(seed: number): Random {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError(`a seed must be a whole number, got ${seed}`);
  const state = Int32Array.of(seed | 0, Math.floor(seed / 2 ** 32) | 0, 0x9e3779b9 | 0, 1);
  const fill = (target: Uint32Array): void => {
    let a = state[0]!;
    let b = state[1]!;
    let c = state[2]!;
    let counter = state[3]!;
    for (let i = 0; i < target.length; i += 1) {
      const result = (((a + b) | 0) + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + result) | 0;
      target[i] = result;
    }
    state.set([a, b, c, counter]);
  };
  fill(new Uint32Array(20));
  const single = new Uint32Array(1);
  const next = (): number => {
    fill(single);
    return single[0]!;
  };
  return { next, fill };
}

/** Returns a uniform index in [0, size); its bias, below size / 2^32, is far below Monte Carlo noise. */
export function randomIndex(random: Random, size: number): number {
  return Math.floor((random.next() / 2 ** 32) * size);
}
