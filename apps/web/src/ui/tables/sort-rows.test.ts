import { describe, expect, it } from 'vitest';
import { sortRows } from './sort-rows.ts';

const rows = [{ v: 3 }, { v: null }, { v: 1 }, { v: 2 }];

describe('sortRows', () => {
  it('keeps missing values last in both directions', () => {
    expect(sortRows(rows, (row) => row.v, 'ascending').map((row) => row.v)).toEqual([1, 2, 3, null]);
    expect(sortRows(rows, (row) => row.v, 'descending').map((row) => row.v)).toEqual([3, 2, 1, null]);
  });

  it('sorts codes by their number', () => {
    const codes = sortRows(['E-20', 'E-3', 'E-100'], (code) => code, 'ascending');
    expect(codes).toEqual(['E-3', 'E-20', 'E-100']);
  });

  it('leaves its input alone', () => {
    const copy = [...rows];
    sortRows(rows, (row) => row.v, 'ascending');
    expect(rows).toEqual(copy);
  });
});
