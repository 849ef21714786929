import { describe, expect, it } from 'vitest';
import { briefCellText, toCsv } from './table.ts';

describe('toCsv', () => {
  it('quotes what needs it and keeps numbers whole', () => {
    const csv = toCsv({
      columns: [{ head: 'Cipher' }, { head: 'Mean', unit: 'ms' }],
      rows: [
        ['AES-256, "GCM"', 18.362],
        ['Plain', null],
        ['NaN', Number.NaN],
        ['Sum', 0.1 + 0.2],
      ],
    });
    expect(csv).toBe('Cipher,Mean (ms)\r\n"AES-256, ""GCM""",18.362\r\nPlain,\r\nNaN,\r\nSum,0.3\r\n');
  });

  it('defuses formulas', () => {
    expect(toCsv({ columns: [{ head: 'Name' }], rows: [['=1+1']] })).toBe("Name\r\n'=1+1\r\n");
  });
});

describe('briefCellText', () => {
  it('writes numbers for people', () => {
    expect(briefCellText(18.362, { head: 'Mean' })).toBe('18.4');
    expect(briefCellText(0.5, { head: 'Share', format: (value) => `${value * 100} %` })).toBe('50 %');
    expect(briefCellText(null, { head: 'Mean' })).toBe('\u2013');
  });
});
