import { describe, expect, it } from 'vitest';
import { formatAgo, formatDateTime, formatDay, formatDuration, formatTimeOfDay } from './format.ts';

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

const at = (day: number, hour: number, minute = 0): number =>
  new Date(2025, 10, day, hour, minute, 12).getTime();

describe('formatAgo', () => {
  const now = at(20, 14, 31);
  it.each([
    [now - 20_000, 'now'],
    [now - 41 * 60_000, '41 min'],
    [at(20, 12), '2 h'],
    [at(19, 23), 'yesterday'],
    [at(18, 9), '18 Nov'],
  ])('reads %s as %s', (ms, text) => {
    expect(formatAgo(ms, now)).toBe(text);
  });
});

describe('dates', () => {
  it('gives the year only when it differs', () => {
    expect(formatDay(at(18, 9), at(20, 9))).toBe('18 Nov');
    expect(formatDay(new Date(2024, 1, 3).getTime(), at(20, 9))).toBe('3 Feb 2024');
  });

  it('writes day and clock', () => {
    expect(formatDateTime(at(20, 11, 48), at(20, 12))).toBe('20 Nov 11:48:12');
    expect(formatTimeOfDay(at(20, 9, 5))).toBe('09:05');
  });
});
