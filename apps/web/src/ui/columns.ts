import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import type { Column } from './data-table.tsx';

type FigureLook = Pick<Column<unknown>, 'unit' | 'hideOnPhone'> & {
  /** Formats the number. Default: plain. */
  format?: (value: number) => string;
  isSortable?: boolean;
};

/** Returns a right-aligned column of numbers, with an en dash for missing values. */
export function figureColumn<Row>(
  head: string,
  read: (row: Row) => number | null,
  { format = formatNumber, isSortable = false, ...look }: FigureLook = {},
): Column<Row> {
  const cell = (row: Row) => {
    const value = read(row);
    return value === null ? NO_VALUE : format(value);
  };
  const column = { id: head, head, numeric: true, ...look, cell };
  return isSortable ? { ...column, sortValue: read } : column;
}

/** Returns a text column. */
export function wordColumn<Row>(
  head: string,
  cell: Column<Row>['cell'],
  look: Pick<Column<Row>, 'width' | 'hideOnPhone'> = {},
): Column<Row> {
  return { id: head, head, cell, ...look };
}
