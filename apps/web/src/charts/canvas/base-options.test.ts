import { describe, expect, it } from 'vitest';
import { thinTicks } from './base-options.ts';

describe('thinTicks', () => {
  it('keeps all ticks that have room', () => {
    expect(thinTicks([0, 10, 20, 30], 8)).toEqual([0, 10, 20, 30]);
  });

  it('drops every other one, never the last, which carries the unit', () => {
    expect(thinTicks([0, 10, 20, 30], 2)).toEqual([10, 30]);
    expect(thinTicks([0, 5, 10, 15, 20], 3)).toEqual([0, 10, 20]);
  });

  it('keeps two where there is hardly room for one', () => {
    expect(thinTicks([0, 10, 20, 30], 0)).toEqual([10, 30]);
  });
});
