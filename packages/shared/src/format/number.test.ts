import { describe, expect, it } from 'vitest';
import { fc } from '../testing/properties.ts';
import { decimalsFor, formatCount, formatFixed, formatNumber, formatSigned } from './number.ts';

describe('formatFixed', () => {
  it.each([
    [18.44, 1, '18.4'],
    [-3.04, 1, '\u22123.0'],
    [-0.04, 1, '0.0'],
    [1264, 0, '1,264'],
    [Number.NaN, 1, '\u2013'],
    [Number.POSITIVE_INFINITY, 0, '\u2013'],
    [1.005, 2, '1.01'],
    [5e-7, 6, '0.000001'],
    [1e21, 1, '1,000,000,000,000,000,000,000.0'],
  ])('writes %s with %i decimals as %s', (value, decimals, text) => {
    expect(formatFixed(value, decimals)).toBe(text);
  });

  it('writes what Intl writes, to the last digit', () => {
    const formats = Array.from({ length: 13 }, (_, decimals) => {
      const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
      return new Intl.NumberFormat('en-GB', digits);
    });
    const values = fc.oneof(
      fc.double({ min: 0, max: 1e7, noNaN: true }),
      fc.integer({ min: 0, max: 1e8 }).map((whole) => whole / 2 / 10 ** (whole % 7)),
    );
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 12 }), (value, decimals) => {
        expect(formatFixed(value, decimals)).toBe(formats[decimals]?.format(value));
      }),
    );
  });
});

describe('formatSigned', () => {
  it.each([
    [3.71, '+3.7'],
    [-3.0, '\u22123.0'],
    [0.01, '0.0'],
  ])('writes %s as %s', (value, text) => {
    expect(formatSigned(value, 1)).toBe(text);
  });
});

describe('formatNumber', () => {
  it.each([
    [18.44, '18.4'],
    [0.05123, '0.0512'],
    [1264.3, '1,264'],
    [9.996, '10.0'],
    [0, '0'],
  ])('writes %s as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe('decimalsFor', () => {
  it('never asks for negative decimals', () => {
    expect(decimalsFor(1e9)).toBe(0);
  });
});

describe('formatCount', () => {
  it('groups thousands', () => {
    expect(formatCount(1_234_567)).toBe('1,234,567');
  });
});
