import { describe, expect, it } from 'vitest';
import { fc } from '../testing/properties.ts';
import { makeSchedule } from './make-schedule.ts';

const input = fc.record({
  treatmentKeys: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 30 }),
  repetitions: fc.integer({ min: 1, max: 20 }),
  seed: fc.integer({ min: 0, max: 0xffffffff }),
});

describe('makeSchedule', () => {
  it('runs every treatment once in every block, in blocks, whatever the seed', () => {
    fc.assert(
      fc.property(input, (given) => {
        const trials = makeSchedule({ ...given, order: 'random in block' });
        const size = given.treatmentKeys.length;
        for (let block = 1; block <= given.repetitions; block++) {
          const part = trials.slice((block - 1) * size, block * size);
          expect(part.every((trial) => trial.block === block)).toBe(true);
          expect(part.map((trial) => trial.treatmentKey).sort()).toEqual([...given.treatmentKeys].sort());
        }
        expect(trials.map((trial) => trial.number)).toEqual(trials.map((_, index) => index + 1));
      }),
    );
  });

  it('gives the same order for the same seed, always', () => {
    fc.assert(
      fc.property(input, (given) => {
        const once = makeSchedule({ ...given, order: 'random in block' });
        expect(makeSchedule({ ...given, order: 'random in block' })).toEqual(once);
      }),
    );
  });

  it('keeps its promise to stored seeds: this order is written down', () => {
    const trials = makeSchedule({
      treatmentKeys: ['a', 'b', 'c', 'd'],
      repetitions: 2,
      order: 'random in block',
      seed: 20_261_121,
    });
    expect(trials.map((trial) => trial.treatmentKey).join('')).toBe('bcadcadb');
  });

  it('puts each treatment first about equally often', () => {
    const first = new Map<string, number>();
    for (let seed = 0; seed < 4000; seed++) {
      const [trial] = makeSchedule({
        treatmentKeys: ['a', 'b', 'c', 'd'],
        repetitions: 1,
        order: 'random in block',
        seed,
      });
      first.set(trial?.treatmentKey ?? '', (first.get(trial?.treatmentKey ?? '') ?? 0) + 1);
    }
    for (const count of first.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it('keeps the listed order when asked', () => {
    const trials = makeSchedule({ treatmentKeys: ['x', 'y'], repetitions: 2, order: 'as listed', seed: 1 });
    expect(trials.map((trial) => trial.treatmentKey)).toEqual(['x', 'y', 'x', 'y']);
  });
});
