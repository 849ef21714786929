import { describe, expect, it } from 'vitest';
import { formatDuration } from './duration.ts';

describe('formatDuration', () => {
  it.each([
    [0, '0 s'],
    [0.412, '412 \u00b5s'],
    [4.12, '4.1 ms'],
    [420.4, '420 ms'],
    [999.7, '1.0 s'],
    [5000, '5.0 s'],
    [46_000, '46 s'],
    [74_000, '74 s'],
    [119_600, '2 min'],
    [23 * 60_000, '23 min'],
    [74 * 60_000, '1 h 14 min'],
    [65 * 60_000, '1 h 05 min'],
    [51 * 3_600_000, '2 d 3 h'],
    [-5000, '\u22125.0 s'],
    [Number.NaN, '\u2013'],
  ])('writes %s ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
