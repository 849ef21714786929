import { describe, expect, it } from 'vitest';
import { mixColours, withAlpha } from './palette.ts';

describe('mixColours', () => {
  it('mixes by share in sRGB', () => {
    expect(mixColours('#000000', '#FFFFFF', 0.16)).toBe('#d6d6d6');
    expect(mixColours('#0072B2', '#FFFFFF', 1)).toBe('#0072b2');
  });

  it('reads the short form that a CSS minifier writes', () => {
    expect(mixColours('#000', '#fff', 0.5)).toBe(mixColours('#000000', '#FFFFFF', 0.5));
  });
});

describe('withAlpha', () => {
  it('keeps the colour', () => {
    expect(withAlpha('#D55E00', 0.18)).toBe('rgb(213 94 0 / 0.18)');
  });
});
