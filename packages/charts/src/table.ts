export type Cell = string | number | null;

export interface TableColumn {
  head: string;
  unit?: string;
  /** How a number is written on the page; files keep it whole. */
  format?: (value: number) => string;
  /** Its words are figures, such as "< 0.001": they stand at the right as numbers do. */
  isFigures?: boolean;
}

/** Columns by their heads, a unit beside its head: `columnsOf('Treatment', ['Duration', 'ms'])`; false leaves one out. */
export function columnsOf(
  ...heads: readonly (string | readonly [head: string, unit: string] | TableColumn | false)[]
): TableColumn[] {
  return heads.flatMap((column) => {
    if (column === false) return [];
    if (typeof column === 'string') return [{ head: column }];
    return 'head' in column ? [column] : [{ head: column[0], unit: column[1] }];
  });
}

/** The numbers of a figure, or a table. */
export interface DocumentTable {
  columns: readonly TableColumn[];
  rows: readonly (readonly Cell[])[];
}

/** A column and the cell that a row has in it. */
export interface Column<Row> extends TableColumn {
  of: (row: Row) => Cell;
}

export function makeTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): DocumentTable {
  return {
    columns: columns.map(({ of: _, ...column }) => column),
    rows: rows.map((row) => columns.map(({ of }) => of(row))),
  };
}
