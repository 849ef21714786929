import { type ReactElement, useMemo } from 'react';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { type ChartCell, type ChartTable, cellText } from '../datasets/chart-table.ts';

type NumberedRow = { key: string; cells: readonly ChartCell[] };

const rowKey = (row: NumberedRow): string => row.key;

/** A chart's data as a dense, sortable table. */
export function ChartTableView({ label, table }: { label: string; table: ChartTable }): ReactElement {
  const rows = useMemo(() => table.rows.map((cells, i) => ({ key: String(i), cells })), [table]);
  const columns = useMemo<Column<NumberedRow>[]>(
    () =>
      table.columns.map((column, i) => ({
        id: String(i),
        head: column.head,
        ...(column.unit ? { unit: column.unit } : {}),
        numeric: table.rows.some((cells) => typeof cells[i] === 'number'),
        sortValue: (row) => row.cells[i],
        cell: (row) => cellText(row.cells[i], column),
      })),
    [table],
  );
  return <DataTable label={label} columns={columns} rows={rows} rowKey={rowKey} density="dense" />;
}
