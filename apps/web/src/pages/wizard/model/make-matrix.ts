import { factors, findFactor } from '@mqttlab/shared/catalogue/factors';
import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorDefinition, FactorGroup, FactorValue } from '@mqttlab/shared/domain/factor';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { type Cell, chosenLevels, expandTreatments } from '@mqttlab/shared/planning/expand-treatments';

interface MatrixRow {
  key: string;
  label: string;
  /** Full name. */
  title: string;
  blocks: MatrixBlock[];
}

/** Combinations of a group's varied factors, with one factor as rows and the others as columns. */
interface Matrix {
  /** One header row for each column factor, the first on top. */
  heads: { key: string; label: string; span: number }[][];
  rows: MatrixRow[];
  columns: number;
  possible: number;
  struckOut: number;
  /** True if any cell is struck out or merged; otherwise the matrix is not shown. */
  isTelling: boolean;
}

type Draft = Pick<ExperimentDraft, 'factors' | 'workload'>;

/**
 * Makes the matrix of a group. Returns null if fewer than two of its factors vary and nothing is struck out.
 */
export function makeMatrix(group: FactorGroup, draft: Draft, view: TestbedView): Matrix | null {
  const cells = expandTreatments(onlyGroup(group, draft, view), view);
  const varied = involvedFactors(group, cells, (factor) => chosenLevels(draft, factor, view).length > 1);
  const [, second] = varied;
  if (!second) return null;
  const down = varied
    .slice(1)
    .reduce((most, factor) => (levelCount(factor) > levelCount(most) ? factor : most), second);
  const across = varied.filter((factor) => factor !== down);
  function levelCount(factor: FactorDefinition): number {
    return chosenLevels(draft, factor, view).length;
  }

  const within = cells.filter((cell) => cell.levels[down.id] !== null);
  const columns = columnsOf(across, draft, view).filter((column) =>
    within.some((cell) => isInColumn(cell, across, column)),
  );
  const grid = chosenLevels(draft, down, view).map((value) =>
    columns.map((column) =>
      within.find((cell) => cell.levels[down.id] === value && isInColumn(cell, across, column)),
    ),
  );
  const merged = mergeGrid(grid);
  const rows = chosenLevels(draft, down, view).map((value, index) => ({
    key: String(value),
    label: down.shortLabel(value),
    title: down.levelLabel(value),
    blocks: merged[index] ?? [],
  }));
  const apart = cells.filter((cell) => cell.levels[down.id] === null);
  const possible = cells.filter((cell) => cell.refusals.length === 0).length;
  return {
    heads: across.map((_, depth) => headsAt(depth, across, columns)),
    rows: [...rows, ...apart.map((cell) => rowApart(cell, varied, columns.length))],
    columns: columns.length,
    possible,
    struckOut: cells.length - possible,
    isTelling:
      possible < cells.length ||
      apart.length > 0 ||
      rows.some(({ blocks }) => blocks.length < columns.length),
  };
}

/**
 * Returns the varied factors of a group. If only one varies, also returns the factor whose constant level
 * makes a combination impossible, so that struck-out levels have a row.
 */
function involvedFactors(
  group: FactorGroup,
  cells: readonly Cell[],
  isVaried: (factor: FactorDefinition) => boolean,
): FactorDefinition[] {
  const ofGroup = factors.filter((factor) => factor.group === group);
  const varied = ofGroup.filter(isVaried);
  if (varied.length !== 1) return varied;
  const blamed = new Set(cells.flatMap((cell) => cell.refusals.map((refusal) => refusal.factor)));
  const held = ofGroup.find((factor) => blamed.has(factor.id) && !varied.includes(factor));
  return ofGroup.filter((factor) => varied.includes(factor) || factor === held);
}

/**
 * Returns a draft with the selected levels of the group. Other factors keep only their first level, which
 * limits the combinations.
 */
function onlyGroup(group: FactorGroup, draft: Draft, view: TestbedView): Draft {
  return {
    ...draft,
    factors: Object.fromEntries(
      factors.map((factor) => {
        const chosen = chosenLevels(draft, factor, view);
        return [factor.id, factor.group === group ? chosen : chosen.slice(0, 1)];
      }),
    ),
  };
}

function columnsOf(across: readonly FactorDefinition[], draft: Draft, view: TestbedView): FactorValue[][] {
  return across.reduce<FactorValue[][]>(
    (columns, factor) =>
      columns.flatMap((column) => chosenLevels(draft, factor, view).map((value) => [...column, value])),
    [[]],
  );
}

/** Returns true if the cell is in the column. A level that does not apply spans all columns. */
function isInColumn(
  cell: Cell,
  across: readonly FactorDefinition[],
  column: readonly FactorValue[],
): boolean {
  return across.every((factor, i) => cell.levels[factor.id] === column[i] || cell.levels[factor.id] === null);
}

function headsAt(
  depth: number,
  across: readonly FactorDefinition[],
  columns: FactorValue[][],
): Matrix['heads'][number] {
  const heads: Matrix['heads'][number] = [];
  let before = '';
  for (const column of columns) {
    const path = JSON.stringify(column.slice(0, depth + 1));
    const last = heads.at(-1);
    const value = column[depth];
    if (last && path === before) last.span += 1;
    else if (value !== undefined) {
      heads.push({ key: path, label: across[depth]?.shortLabel(value) ?? String(value), span: 1 });
    }
    before = path;
  }
  return heads;
}

/** Returns a row with a header such as "Plain", for cells to which the row factor does not apply. */
function rowApart(cell: Cell, varied: readonly FactorDefinition[], columns: number): MatrixRow {
  const applying = varied.filter((factor) => (cell.levels[factor.id] ?? null) !== null);
  const others = varied
    .filter((factor) => !applying.includes(factor))
    .map((factor) => factor.label.toLowerCase());
  const [refusal] = cell.refusals;
  const label = applying.map((factor) => factor.levelLabel(cell.levels[factor.id] ?? '')).join(', ');
  return {
    key: cell.key,
    label,
    title: label,
    blocks: [
      {
        key: cell.key,
        kind: refusal ? 'impossible' : 'once',
        struck: '',
        words: refusal ? refusal.reason : `no ${others.join(' or ')} to choose: counted once`,
        colSpan: Math.max(1, columns),
        rowSpan: 1,
      },
    ],
  };
}

/**
 * A rectangle of the matrix, which merges adjacent impossible cells with the same reason, and identical
 * columns.
 */
export interface MatrixBlock {
  key: string;
  kind: 'possible' | 'once' | 'impossible';
  /** Struck-out levels, or their number; empty if none. */
  struck: string;
  /** Why the block is impossible or counted once; empty if it is possible. */
  words: string;
  colSpan: number;
  rowSpan: number;
}

/** Returns the blocks by grid row. Each block is in its first row, as HTML tables require. */
function mergeGrid(grid: readonly (readonly (Cell | undefined)[])[]): MatrixBlock[][] {
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

/** Maximum length of a list of levels; longer lists are counted instead. */
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
