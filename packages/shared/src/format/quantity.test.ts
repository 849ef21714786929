import { describe, expect, it, test } from 'vitest';
import {
  describeGaps,
  describeIdle,
  formatBytes,
  formatP,
  formatQuantity,
  formatShare,
  NBSP,
} from './quantity.ts';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

describe('formatQuantity', () => {
  it.each([
    [18.44, 'ms', '18.4 ms'],
    [0.412, 'ms', '412 \u00b5s'],
    [999.97, 'us', '1.00 ms'],
    [48_600, 'us', '48.6 ms'],
    [5400, 's', '5,400 s'],
    [2210, 'B', '2.21 kB'],
    [124, 'B', '124 B'],
    [0.5, 'B', '0.500 B'],
    [21_900, 'msg/s', '21.9 k msg/s'],
    [0.147, 'J', '147 mJ'],
    [13.07, 'mAh', '13.1 mAh'],
    [6_550_000, 'bit/s', '6.55 Mbit/s'],
    [54.21, '\u00b0C', '54.2 \u00b0C'],
    [0, 'ms', '0 ms'],
  ])('writes %s %s as %s', (value, unit, text) => {
    expect(plain(formatQuantity(value, unit))).toBe(text);
  });

  it('signs differences', () => {
    expect(plain(formatQuantity(3.71, 'ms', { signed: true, significant: 2 }))).toBe('+3.7 ms');
  });
});

describe('other figures', () => {
  it('writes bytes in decimal', () => {
    expect(plain(formatBytes(6_200_000_000))).toBe('6.20 GB');
  });

  it('writes shares in per cent', () => {
    expect(plain(formatShare(0.0532))).toBe('5.3 %');
  });

  it('never shows a p value of zero', () => {
    expect(plain(formatP(1e-9))).toBe('< 0.001');
    expect(formatP(0.0123)).toBe('0.012');
    expect(formatP(0.352)).toBe('0.35');
  });
});

test('idle power is described with its duration and time', () => {
  expect(describeIdle({ baselineW: 3.004, baselineWindow: { fromMs: -15_700, toMs: -3200 } })).toBe(
    `3.00${NBSP}W idle over 12.5 s, which ended 3.2 s before measuring`,
  );
  expect(describeIdle({ baselineW: 3.5, baselineWindow: { fromMs: 11_000, toMs: 20_000 } })).toBe(
    `3.50${NBSP}W idle over 9.0 s, which began 11.0 s after measuring started`,
  );
  expect(describeIdle({ baselineW: 2.7 })).toBe(`2.70${NBSP}W idle`);
  expect(describeIdle({ baselineW: null, baselineWindow: null })).toMatch(/^idle power unknown/);
});

test('gaps are described with their maximum error', () => {
  expect(describeGaps({ ms: 1500, errorJ: 2.14 })).toBe(
    `, error of at most 2.14${NBSP}J from 1.5 s without samples`,
  );
  expect(describeGaps(null)).toBe('');
});
