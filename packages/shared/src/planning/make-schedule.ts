import type { Trial } from '../domain/plans/plan.ts';

export interface ScheduleInput {
  treatmentKeys: readonly string[];
  repetitions: number;
  order: 'random in block' | 'as listed';
  /** 32-bit unsigned; the same seed results in the same order on all platforms. */
  seed: number;
}

/**
 * Arranges trials in blocks of one repetition each, with every treatment once per block. "random in block"
 * shuffles the trials within each block (Fisher-Yates with a seeded generator), so that drift affects all
 * treatments equally.
 */
export function makeSchedule(input: ScheduleInput): Trial[] {
  const next = makeGenerator(input.seed);
  const trials: Trial[] = [];
  for (let block = 1; block <= input.repetitions; block++) {
    const keys = [...input.treatmentKeys];
    if (input.order === 'random in block') shuffle(keys, next);
    for (const treatmentKey of keys) trials.push({ number: trials.length + 1, block, treatmentKey });
  }
  return trials;
}

function shuffle(values: string[], next: () => number): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    const swapped = values[i] as string;
    values[i] = values[j] as string;
    values[j] = swapped;
  }
}

/**
 * Makes a splitmix32 generator: uniform in [0, 1), with 32 bits of state. It is implemented here so that
 * stored seeds remain valid.
 */
export function makeGenerator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 4_294_967_296;
  };
}
