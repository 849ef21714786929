import { describe, expect, it } from 'vitest';
import { type EffectDatum, effectPosition, effectScale, effectTable, effectTexts } from './effect-data.ts';

const row = (over: Partial<EffectDatum> = {}): EffectDatum => ({
  treatment: { index: 3, label: 'TLS 1.3 AES-256-GCM', shortLabel: 'AES-256' },
  value: 1.26,
  lo: 1.23,
  hi: 1.28,
  g: 8.8,
  p: 0.0002,
  ...over,
});

describe('effectPosition', () => {
  it('puts a ratio and its inverse equally far from no effect', () => {
    expect(effectPosition('ratio', 2)).toBeCloseTo(-effectPosition('ratio', 0.5));
  });
});

describe('effectScale', () => {
  it('shows the reference while the intervals stay visible', () => {
    const scale = effectScale('ratio', [row(), row({ value: 1.05, lo: 1.03, hi: 1.07 })]);
    expect(scale.reference).toBe(0);
    expect(scale.min).toBeLessThan(0);
    expect(scale.max).toBeGreaterThan(Math.log(1.28));
  });

  it('gives the reference up when it would squeeze the intervals to nothing', () => {
    const scale = effectScale('difference', [row({ value: 100, lo: 99.9, hi: 100.1 })]);
    expect(scale.reference).toBeNull();
    expect(scale.max - scale.min).toBeLessThan(1);
    expect(scale.ticks.length).toBeGreaterThan(0);
  });

  it('holds published values', () => {
    expect(effectScale('ratio', [row({ published: 1.67 })]).max).toBeGreaterThan(Math.log(1.67));
  });

  it('survives having no rows', () => {
    expect(effectScale('ratio', []).reference).toBe(0);
  });
});

describe('effectTexts', () => {
  it('writes ratio, interval, g and p', () => {
    const texts = effectTexts('ratio', row());
    expect(texts.value).toBe('1.26');
    expect(texts.interval.replaceAll('\u00a0', ' ')).toBe('[1.23, 1.28]');
    expect(texts.g).toBe('8.8');
    expect(texts.p.replaceAll('\u00a0', ' ')).toBe('< 0.001');
  });

  it('keeps digits of a ratio below one whose interval is wide', () => {
    const texts = effectTexts('ratio', row({ value: 0.49, lo: 0.061, hi: 3.9 }));
    expect([texts.value, texts.interval]).toEqual(['0.49', '[0.061, 3.9]']);
  });

  it('signs differences and shows what is missing', () => {
    const texts = effectTexts('difference', row({ value: 3, lo: 2.5, hi: 3.5, g: null, p: null }));
    expect(texts).toMatchObject({ value: '+3.0', g: '\u2013', p: '\u2013' });
  });
});

describe('effectTable', () => {
  it('names the unit of differences only', () => {
    expect(effectTable({ kind: 'ratio', unit: 'ms', groups: [] }).columns[2]).toEqual({ head: 'Ratio' });
    expect(effectTable({ kind: 'difference', unit: 'ms', groups: [] }).columns[2]).toEqual({
      head: 'Difference',
      unit: 'ms',
    });
  });
});
