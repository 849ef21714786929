import { describe, expect, it } from 'vitest';
import {
  type EffectDatum,
  effectPosition,
  effectScale,
  effectScales,
  effectTexts,
  estimateTable,
  runsText,
} from './forest.ts';

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

  it('drops the reference if it would make the intervals invisible', () => {
    const scale = effectScale('difference', [row({ value: 100, lo: 99.9, hi: 100.1 })]);
    expect(scale.reference).toBeNull();
    expect(scale.max - scale.min).toBeLessThan(1);
    expect(scale.ticks.length).toBeGreaterThan(0);
  });

  it('draws exact ratios as points on one scale with the reference', () => {
    const exact = (value: number) => [row({ value, lo: value, hi: value, g: null, p: null })];
    const groups = [exact(1.18), exact(1.07), [row()]];
    const [first, ...others] = effectScales('ratio', groups);
    expect(first?.reference).toBe(0);
    expect(first?.ticks.length).toBeGreaterThanOrEqual(2);
    expect(others).toEqual([first, first]);
    for (const at of [1, 1.07, 1.18].map((value) => effectPosition('ratio', value))) {
      expect(at).toBeGreaterThan(first?.min ?? 1);
      expect(at).toBeLessThan(first?.max ?? 0);
    }
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

describe('effectScales', () => {
  it('is one for all groups until it would hide the intervals of one', () => {
    const wide = [row({ value: 2, lo: 1, hi: 4 })];
    const shared = effectScales('ratio', [[row()], [row({ value: 1.4, lo: 1.2, hi: 1.6 })], []]);
    expect(new Set(shared).size).toBe(1);
    const [own, other] = effectScales('difference', [
      [row({ value: 1, lo: 0.9, hi: 1.1 })],
      [row({ value: 90, lo: 50, hi: 130 })],
    ]);
    expect(own?.max).toBeLessThan(2);
    expect(other?.max).toBeGreaterThan(130);
    expect(effectScales('ratio', [wide])).toHaveLength(1);
  });
});

describe('estimateTable', () => {
  const treatment = row().treatment;
  const rows = [
    {
      bar: { treatment, value: 2, lo: 1, hi: 3 },
      runs: [false, true],
      effect: row(),
      outcome: 'higher',
      isClear: true,
    },
    {
      bar: { treatment, value: null, note: '2 of 2 flagged' },
      runs: [true, true],
      effect: null,
      outcome: 'not measured',
      isClear: false,
    },
  ];

  it('names the unit of differences only', () => {
    const head = (kind: 'ratio' | 'difference') => estimateTable({ kind, unit: 'ms', groups: [] }).columns[6];
    expect(head('ratio')).toEqual({ head: 'Ratio to baseline' });
    expect(head('difference')).toEqual({ head: 'Difference to baseline', unit: 'ms' });
  });

  it('holds mean, effect and outcome in one row', () => {
    expect(estimateTable({ kind: 'ratio', unit: 'ms', groups: [{ title: 'QoS 0', rows }] }).rows).toEqual([
      ['QoS 0', treatment.label, '1 of 2 flagged', 2, 1, 3, 1.26, 1.23, 1.28, 8.8, 0.0002, 'higher'],
      [
        'QoS 0',
        treatment.label,
        '2 of 2 flagged',
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        'not measured',
      ],
    ]);
    expect(runsText([false, false])).toBe('2 valid');
  });
});
