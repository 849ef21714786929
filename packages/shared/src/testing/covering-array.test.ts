import { describe, expect, it } from 'vitest';
import type { Levels } from '../domain/factor.ts';
import { type CoveringArrayInput, type Goal, makeCoveringArray, type Row } from './covering-array.ts';

const columns = {
  lid: ['glass', 'steel', 'none'],
  size: [1, 2, 3, 4],
  seal: ['rubber', 'cork'],
  paint: ['red', 'blue', 'green'],
};

const goals: Goal[] = Object.entries(columns).flatMap(([column, values]) =>
  values.map((value) => ({ column, label: `${column} ${value}`, values: [value] })),
);

/** A box without a lid has no seal, cork does not fit size 4, and green boxes of size 1 are not wanted. */
const input: CoveringArrayInput = {
  goals,
  isWanted: () => true,
  bases: [
    { lid: 'glass', size: 1, seal: 'rubber', paint: 'red' },
    { lid: 'glass', size: 2, seal: 'rubber', paint: 'red' },
  ],
  findConflict: (a, b) => {
    const values = [a.value, b.value];
    return values.includes('cork') && values.includes(4) ? 'cork is too thin' : null;
  },
  mayApply: (column, row) => column !== 'seal' || row.lid !== 'none',
  check: (row) => {
    if (row.lid !== 'none' && row.seal === 'cork' && row.size === 4) {
      return { levels: null, refusal: 'cork is too thin' };
    }
    const levels: Levels = { ...row, seal: row.lid === 'none' ? null : (row.seal ?? null) };
    return { levels, refusal: row.paint === 'green' && row.size === 1 ? 'ugly' : null };
  },
};

const labelsOf = (uncovered: readonly { pair: readonly Goal[]; reason: string }[]): string[] =>
  uncovered.map(({ pair, reason }) => `${pair.map(({ label }) => label).join(' + ')}: ${reason}`).sort();

/** All pairs of levels in rows, found without the generator. */
function pairsIn(rows: readonly { levels: Levels }[]): Set<string> {
  const pairs = new Set<string>();
  for (const { levels } of rows) {
    const own = goals.filter(({ column, values }) => values.includes(levels[column] ?? ''));
    for (const a of own)
      for (const b of own) if (goals.indexOf(a) < goals.indexOf(b)) pairs.add(`${a.label} + ${b.label}`);
  }
  return pairs;
}

/** All legal rows, by trying every combination. */
function everyRow(): { row: Row; levels: Levels }[] {
  let rows: Row[] = [{}];
  for (const [column, values] of Object.entries(columns)) {
    rows = rows.flatMap((row) => values.map((value) => ({ ...row, [column]: value })));
  }
  return rows.flatMap((row) => {
    const { levels, refusal } = input.check(row);
    return levels !== null && refusal === null ? [{ row, levels }] : [];
  });
}

describe('a covering array', () => {
  it('holds every pair that some usable row holds, in few rows', () => {
    const { rows, covered, wanted, impossible, unsuitable } = makeCoveringArray(input);
    expect(pairsIn(rows)).toEqual(pairsIn(everyRow()));
    expect(covered).toBe(pairsIn(rows).size);
    expect(wanted).toBe(covered + impossible.length + unsuitable.length);
    // 4 x 3 is the product of the two largest columns.
    expect(rows.length).toBeGreaterThanOrEqual(12);
    expect(rows.length).toBeLessThanOrEqual(15);
  });

  it('has the easiest value in all rows but those that another is needed in', () => {
    const isLidOrPaint = ({ column }: Goal) => column === 'lid' || column === 'paint';
    const isWanted = (a: Goal, b: Goal) => isLidOrPaint(a) && isLidOrPaint(b);
    const { rows } = makeCoveringArray({ ...input, isWanted, easiest: { size: 3, paint: 'blue' } });
    expect(rows.map(({ row }) => row.size)).toEqual(rows.map(() => 3));
    const pairs = rows.map(({ row }) => `${row.lid} ${row.paint}`);
    expect(new Set(pairs).size).toBe(9);
    expect(rows).toHaveLength(9);
    const all = makeCoveringArray({ ...input, easiest: { paint: 'blue', size: 3 } }).rows;
    expect(pairsIn(all)).toEqual(pairsIn(everyRow()));
    for (const { row, levels } of all) expect(input.check(row)).toEqual({ levels, refusal: null });
  });

  it('has legal rows only', () => {
    for (const { row, levels } of makeCoveringArray(input).rows)
      expect(input.check(row)).toEqual({ levels, refusal: null });
  });

  it('reports pairs without a row, with the reason of the rules', () => {
    const { impossible, unsuitable } = makeCoveringArray(input);
    expect(labelsOf(impossible)).toEqual([
      'lid none + seal cork: one leaves the other without effect',
      'lid none + seal rubber: one leaves the other without effect',
      'size 4 + seal cork: cork is too thin',
    ]);
    expect(labelsOf(unsuitable)).toEqual(['size 1 + paint green: ugly']);
  });

  it('finds the reason in the rules when no cheap test knows it', () => {
    const { impossible } = makeCoveringArray({ ...input, findConflict: () => null, mayApply: () => true });
    expect(labelsOf(impossible)).toEqual(labelsOf(makeCoveringArray(input).impossible));
  });

  it('is the same each time', () => {
    expect(makeCoveringArray(input)).toEqual(makeCoveringArray(input));
  });

  it('leaves out pairs that are not wanted', () => {
    const { wanted, rows } = makeCoveringArray({
      ...input,
      isWanted: (a, b) => a.column === 'lid' && b.column === 'paint',
    });
    expect(wanted).toBe(9);
    expect(rows).toHaveLength(9);
  });

  it('counts a goal of several values as achieved by one of them', () => {
    const small: Goal = { column: 'size', label: 'small', values: [1, 2] };
    const large: Goal = { column: 'size', label: 'large', values: [3, 4] };
    const paints = goals.filter(({ column }) => column === 'paint');
    const { rows, covered } = makeCoveringArray({ ...input, goals: [small, large, ...paints] });
    expect(covered).toBe(5);
    expect(rows).toHaveLength(5);
  });
});
