import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';

export type Cell = string | number | null;

export interface TableColumn {
  head: string;
  unit?: string;
  /** Formats numbers on the page; files have full precision. */
  format?: (value: number) => string;
  /** True for numbers given as text, such as "< 0.001", which are aligned right like numbers. */
  isFigures?: boolean;
}

/** Makes columns from headers with optional units: `columnsOf('Treatment', ['Duration', 'ms'])`. Skips false. */
export function columnsOf(
  ...heads: readonly (string | readonly [head: string, unit: string] | TableColumn | false)[]
): TableColumn[] {
  return heads.flatMap((column) => {
    if (column === false) return [];
    if (typeof column === 'string') return [{ head: column }];
    return 'head' in column ? [column] : [{ head: column[0], unit: column[1] }];
  });
}

/** The values of a figure, or a table in a document. */
export interface DocumentTable {
  columns: readonly TableColumn[];
  rows: readonly (readonly Cell[])[];
}

/** A column with a function that returns the cell for a row. */
export interface Column<Row> extends TableColumn {
  of: (row: Row) => Cell;
}

export function makeTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): DocumentTable {
  return {
    columns: columns.map(({ of: _, ...column }) => column),
    rows: rows.map((row) => columns.map(({ of }) => of(row))),
  };
}

/** Returns a cell with three significant digits, for dense tables. */
export function briefCellText(cell: Cell | undefined, column: TableColumn): string {
  if (cell === null || cell === undefined) return NO_VALUE;
  if (typeof cell === 'string') return cell;
  return column.format ? column.format(cell) : formatNumber(cell);
}

/**
 * Converts a table to CSV (RFC 4180): CRLF between records, quotes if needed, units in the header, at most
 * twelve digits.
 */
export function toCsv({ columns, rows }: DocumentTable): string {
  const header = columns.map((column) => (column.unit ? `${column.head} (${column.unit})` : column.head));
  return [header, ...rows]
    .map((row) => row.map(csvField).join(','))
    .join('\r\n')
    .concat('\r\n');
}

function csvField(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(Number(cell.toPrecision(12))) : '';
  // A spreadsheet would execute text with a leading =, +, - or @ as a formula.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
