import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivals, SequenceWindow } from './sequence-window.ts';

/** What RFC 4737 and plain counting say, with all numbers remembered. */
class Naive {
  readonly #seen = new Set<number>();
  #newest = -1;

  add(sequence: number): number {
    if (this.#seen.has(sequence)) return arrivals.duplicate;
    this.#seen.add(sequence);
    if (sequence < this.#newest) return arrivals.reordered;
    this.#newest = sequence;
    return arrivals.new;
  }
}

describe('SequenceWindow', () => {
  it('tells new, reordered and duplicate like a set of all numbers would', () => {
    const jumps = fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -3_000, max: 5_000 }));
    fc.assert(
      fc.property(fc.array(jumps, { maxLength: 400 }), (steps) => {
        const window = new SequenceWindow();
        const naive = new Naive();
        let at = 0;
        for (const step of steps) {
          at = Math.max(0, at + step);
          expect(window.add(at)).toBe(naive.add(at));
        }
      }),
    );
  });

  it('keeps no memory of a long run without gaps', () => {
    const window = new SequenceWindow();
    let others = 0;
    for (let i = 0; i < 300_000; i += 1) others += window.add(i) === arrivals.new ? 0 : 1;
    expect(others).toBe(0);
    expect(window.add(0)).toBe(arrivals.duplicate);
    expect(window.add(299_999)).toBe(arrivals.duplicate);
  });

  it('still knows a number that is two million late, and takes an older one for a duplicate', () => {
    const window = new SequenceWindow();
    window.add(0);
    window.add(2_000_000);
    expect(window.add(1)).toBe(arrivals.reordered);
    expect(window.add(1)).toBe(arrivals.duplicate);
    window.add(4_294_967_295);
    expect(window.add(4_294_967_294)).toBe(arrivals.reordered);
    expect(window.add(2)).toBe(arrivals.duplicate);
  });
});
