import { describe, expect, it } from 'vitest';
import { type BarGroup, barAxis, barIntervalTable, barRows } from './bar-interval-data.ts';

const treatment = { index: 2, label: 'TLS 1.2', shortLabel: 'TLS 1.2' };
const groups: BarGroup[] = [
  { title: 'Ethernet', bars: [{ treatment, value: 2, lo: 1.9, hi: 2.1 }] },
  { title: '', bars: [{ treatment, value: 7.9, lo: 7.6, hi: 8.2 }] },
];

describe('barRows', () => {
  it('puts a heading before the bars of a named group only', () => {
    expect(barRows(groups).map((row) => row.kind)).toEqual(['heading', 'bar', 'bar']);
  });
});

describe('barAxis', () => {
  it('starts at zero and holds the intervals', () => {
    expect(barAxis(groups)).toMatchObject({ min: 0, max: 9 });
  });

  it('reaches below zero for negative bars', () => {
    expect(barAxis([{ title: '', bars: [{ treatment, value: -3, lo: -4, hi: -2 }] }])).toMatchObject({
      min: -4,
      max: 0,
    });
  });
});

describe('barIntervalTable', () => {
  it('keeps raw numbers', () => {
    expect(barIntervalTable(groups, 'J').rows[0]).toEqual(['Ethernet', 'TLS 1.2', 2, 1.9, 2.1]);
  });
});
