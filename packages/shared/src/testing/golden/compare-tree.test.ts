import { describe, expect, it } from 'vitest';
import { compareTree, isWithin, tolerances } from './compare-tree.ts';

const rules = { tolerance: tolerances([[/^loose/, 0.1, 0.01]]), ignored: /^note$/ };
const fields = (expected: unknown, got: unknown) => compareTree(expected, got, rules).map((m) => m.field);

describe('compareTree', () => {
  it('applies abs + rel |expected|, and nothing to other fields', () => {
    expect(isWithin(10.2, 10, { abs: 0.1, rel: 0.01 })).toBe(true);
    expect(isWithin(10.21, 10, { abs: 0.1, rel: 0.01 })).toBe(false);
    expect(isWithin(Number.NaN, 10, { abs: 1, rel: 1 })).toBe(false);
    expect(fields({ loose: 10, tight: 1 }, { loose: 10.2, tight: 1.0000001 })).toEqual(['tight']);
  });

  it('wants an undefined result to be absent, never a finite number', () => {
    for (const absent of [null, undefined, Number.NaN, Infinity, { lo: null, hi: Number.NaN }]) {
      expect(fields({ x: null }, { x: absent })).toEqual([]);
    }
    for (const present of [0, { lo: null, hi: 0 }, true])
      expect(fields({ x: null }, { x: present })).toEqual(['x']);
  });

  it('wants every expected field, length, text and flag', () => {
    expect(fields({ a: { b: 1 } }, { a: null })).toEqual(['a']);
    expect(fields({ a: { b: 1 } }, { a: {} })).toEqual(['a.b']);
    expect(fields({ a: [1, 2] }, { a: [1] })).toEqual(['a']);
    expect(fields({ a: [1, 2] }, { a: [1, 3] })).toEqual(['a[1]']);
    expect(fields({ a: 'x', b: true, c: 1 }, { a: 'y', b: false, c: '1' })).toEqual(['a', 'b', 'c']);
    expect(fields({ a: 1, note: 5 }, { a: 1, extra: 9 })).toEqual([]);
  });
});
