import { describe, expect, it } from 'vitest';
import { decimalsForWidth, formatInterval } from './interval.ts';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

describe('formatInterval', () => {
  it('writes the figure, its unit and its interval with the digits the width earns', () => {
    const { text } = formatInterval({ value: 18.362, lo: 17.91, hi: 18.81 }, { unit: 'ms' });
    expect(plain(text)).toBe('18.4 ms [17.9, 18.8]');
  });

  it('never breaks the line', () => {
    expect(formatInterval({ value: 18.362, lo: 17.91, hi: 18.81 }, { unit: 'ms' }).text).not.toContain(' ');
  });

  it('scales value and bounds to one SI prefix', () => {
    const { text } = formatInterval({ value: 18_362, lo: 17_910, hi: 18_810 }, { unit: 'us' });
    expect(plain(text)).toBe('18.4 ms [17.9, 18.8]');
  });

  it('signs differences with a true minus', () => {
    const { text } = formatInterval({ value: -3.0, lo: -3.49, hi: -2.5 }, { unit: 'ms', signed: true });
    expect(plain(text)).toBe('\u22123.0 ms [\u22123.5, \u22122.5]');
  });

  it('keeps the unit of the head unscaled', () => {
    const { text } = formatInterval(
      { value: 0.0184, lo: 0.0179, hi: 0.0188 },
      { unit: 's', unitInHead: true },
    );
    expect(plain(text)).toBe('0.0184 [0.0179, 0.0188]');
  });

  it('leaves the interval out when there is none', () => {
    expect(plain(formatInterval({ value: 18.362 }, { unit: 'ms' }).text)).toBe('18.4 ms');
  });

  it('never shows a bound as zero that is not', () => {
    const resolved = formatInterval({ value: 14, lo: 0.3, hi: 26 }, { unit: '%' });
    expect(plain(resolved.text)).toBe('14.0 % [0.3, 26.0]');
    const open = formatInterval({ value: 14, lo: -0.04, hi: 26 }, { unit: '%' });
    expect(plain(open.text)).toBe('14.00 % [\u22120.04, 26.00]');
    expect(plain(formatInterval({ value: 14, lo: 0, hi: 26 }, { unit: '%' }).text)).toBe('14 % [0, 26]');
    const tiny = formatInterval({ value: 14, lo: 1e-9, hi: 26 }, { unit: '%' });
    expect(plain(tiny.text)).toBe('14 % [< 0.00003, 26]');
  });

  it('writes bounds of different magnitudes with two digits each, none of them as zero', () => {
    const { text } = formatInterval({ value: 1.19, lo: 0.0107, hi: 133.4 }, { unitInHead: true });
    expect(plain(text)).toBe('1.2 [0.011, 133]');
    expect(plain(formatInterval({ value: 4.466, lo: 0.0214, hi: 933.05 }).text)).toBe('4.5 [0.021, 933]');
  });

  it('shows at most four digits of a value, unless more are requested', () => {
    const narrow = { value: 284.001, lo: 283.996, hi: 284.006 };
    expect(plain(formatInterval(narrow, { unit: 'B' }).text)).toBe('284.0 B [284.0, 284.0]');
    const ratio = { value: 1.00031, lo: 1.00022, hi: 1.00041 };
    expect(plain(formatInterval(ratio, { maxSignificant: 9 }).text)).toBe('1.00031 [1.00022, 1.00041]');
  });

  it('shows no figure for NaN', () => {
    expect(formatInterval({ value: Number.NaN, lo: 1, hi: 2 }).text).toBe('\u2013');
  });
});

describe('decimalsForWidth', () => {
  it.each([
    [0.9, 1],
    [0.08, 2],
    [0.024, 3],
    [19, 0],
    [3, 1],
    [0, 1],
  ])('gives a width of %s %i decimals', (width, decimals) => {
    expect(decimalsForWidth(width, 18.4)).toBe(decimals);
  });
});
