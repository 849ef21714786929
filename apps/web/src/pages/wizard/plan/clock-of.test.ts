import { describe, expect, it } from 'vitest';
import { clockOf } from './clock-of.ts';

const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();

describe('clockOf', () => {
  it.each([
    [at(21, 19, 1), 'today 19:01'],
    [at(22, 0, 30), 'tomorrow 00:30'],
    [at(23, 7), '23 Nov 07:00'],
    [new Date(2027, 0, 2, 3).getTime(), '2 Jan 2027 03:00'],
  ])('%d reads %s', (ms, words) => {
    expect(clockOf(ms, at(21, 14))).toBe(words);
  });
});
