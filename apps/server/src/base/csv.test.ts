import { describe, expect, it } from 'vitest';
import { fileNameOf } from '../api/route.ts';
import { makeCsv } from './csv.ts';

describe('makeCsv', () => {
  it('quotes according to RFC 4180, keeps numbers and leaves null empty', () => {
    const rows = [['a,b', 'say "x"', 'two\nlines', -1.5, null, true]];
    expect(makeCsv(['1', '2', '3', '4', '5', '6'], rows)).toBe(
      '1,2,3,4,5,6\r\n"a,b","say ""x""","two\nlines",-1.5,,true\r\n',
    );
  });

  it('exports no formulas to a spreadsheet', () => {
    const rows = [['=1+1', '+1', '-1', '@x', '\tx', 'x=1']];
    expect(makeCsv(['h'], rows)).toBe("h\r\n'=1+1,'+1,'-1,'@x,'\tx,x=1\r\n");
  });
});

describe('fileNameOf', () => {
  it('is plain ASCII whatever the title', () => {
    expect(fileNameOf('E-1', 'Grüße: "TLS"/..\r\n', 'csv')).toBe('E-1-gru-e-tls.csv');
    expect(fileNameOf('E-1', '日本', 'csv')).toBe('E-1.csv');
    expect(fileNameOf('E-1', 'x'.repeat(200), 'csv').length).toBeLessThan(80);
  });
});
