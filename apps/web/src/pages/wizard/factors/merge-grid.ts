import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { Cell } from '@mqttlab/shared/planning/expand-treatments';

/** One rectangle of a matrix. Impossible neighbours with the same reason are one; so are columns that do not differ. */
export interface MatrixBlock {
  key: string;
  kind: 'possible' | 'once' | 'impossible';
  /** What is struck out: the levels that are refused here, or how many. Empty where nothing is. */
  struck: string;
  /** Why it is impossible, or why it is counted once; empty where it is simply possible. */
  words: string;
  colSpan: number;
  rowSpan: number;
}

type Grid = readonly (readonly (Cell | undefined)[])[];

/** Blocks for each row of the grid, as an HTML table wants them: each stands in the row where it begins. */
export function mergeGrid(grid: Grid): MatrixBlock[][] {
  const taken = grid.map((row) => row.map(() => false));
  return grid.map((row, r) =>
    row.flatMap((cell, c) => {
      if (!cell || taken[r]?.[c]) return [];
      const colSpan = runLength(row, c, (next) => isSame(cell, next));
      const isFree = (below: number) => row.slice(c, c + colSpan).every((_, i) => !taken[below]?.[c + i]);
      let rowSpan = 1;
      while (
        cell.refusals.length > 0 &&
        r + rowSpan < grid.length &&
        isFree(r + rowSpan) &&
        runLength(grid[r + rowSpan] ?? [], c, (next) => isSame(cell, next)) >= colSpan
      ) {
        rowSpan += 1;
      }
      for (const line of taken.slice(r, r + rowSpan)) line.fill(true, c, c + colSpan);
      const inside = grid.slice(r, r + rowSpan).flatMap((line) => line.slice(c, c + colSpan));
      return [{ key: `${r}:${c}`, ...kindOf(cell, colSpan), struck: struckWords(inside), colSpan, rowSpan }];
    }),
  );
}

function kindOf(cell: Cell, colSpan: number): Pick<MatrixBlock, 'kind' | 'words'> {
  const [refusal] = cell.refusals;
  if (refusal) return { kind: 'impossible', words: refusal.reason };
  return colSpan > 1
    ? { kind: 'once', words: 'no difference: counted once' }
    : { kind: 'possible', words: '' };
}

/** Longer lists of levels are counted instead. */
const maxLetters = 30;

function struckWords(cells: readonly (Cell | undefined)[]): string {
  const id = cells[0]?.refusals[0]?.factor;
  const factor = id === undefined ? undefined : findFactor(id);
  if (!factor) return '';
  const values = new Set(cells.flatMap((cell) => cell?.levels[factor.id] ?? []));
  const names = [...values].map((value) => factor.shortLabel(value)).join(', ');
  return names.length <= maxLetters ? names : `${values.size} levels of ${factor.label.toLowerCase()}`;
}

function isSame(a: Cell, b: Cell | undefined): boolean {
  if (!b) return false;
  const [reasonA, reasonB] = [a.refusals[0]?.reason, b.refusals[0]?.reason];
  return reasonA !== undefined ? reasonA === reasonB : a.key === b.key;
}

function runLength(
  row: readonly (Cell | undefined)[],
  from: number,
  accept: (cell: Cell | undefined) => boolean,
): number {
  let length = 0;
  while (from + length < row.length && accept(row[from + length])) length += 1;
  return length;
}
