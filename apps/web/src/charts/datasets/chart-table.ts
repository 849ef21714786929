import type { Cell, DocumentTable, TableColumn } from '@mqttlab/charts/table';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';

/** The data behind a chart: shown by its table switch and saved by its CSV button. */
export type ChartTable = DocumentTable;

/** A cell as the table shows it. */
export function cellText(cell: Cell | undefined, column: TableColumn): string {
  if (cell === null || cell === undefined) return NO_VALUE;
  if (typeof cell === 'string') return cell;
  return column.format ? column.format(cell) : formatNumber(cell);
}

/** RFC 4180: CRLF between records, quotes where a field needs them, units in the header, twelve digits at most. */
export function toCsv({ columns, rows }: ChartTable): string {
  const header = columns.map((column) => (column.unit ? `${column.head} (${column.unit})` : column.head));
  return [header, ...rows]
    .map((row) => row.map(csvField).join(','))
    .join('\r\n')
    .concat('\r\n');
}

function csvField(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(Number(cell.toPrecision(12))) : '';
  // A leading =, +, - or @ would run as a formula in a spreadsheet.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
